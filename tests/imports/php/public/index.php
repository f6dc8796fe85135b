<?php
require_once dirname(__DIR__, 1) . '/src/functions.php';
use Acme\Post\Sender;
