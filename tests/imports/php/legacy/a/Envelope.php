<?php
namespace Acme\Post\Legacy;
use Acme\Post\Legacy\Wax;
