<?php
namespace Acme\Post\Stamp;

use Acme\Post\Letter;
use Old_Thing;
