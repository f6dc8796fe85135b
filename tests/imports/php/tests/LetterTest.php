<?php
namespace Acme\Post\Tests;

use Acme\Post\Letter;
use Acme\Post\Tests\Support\Letters;
use PHPUnit\Framework\TestCase;

require dirname(__FILE__) . '/bootstrap.php';
require_once(dirname(dirname(__FILE__)) . '/src/functions.php');
require 'src/Hidden.php';
require $file;
require __DIR__ . '/' . $name . '.php';
