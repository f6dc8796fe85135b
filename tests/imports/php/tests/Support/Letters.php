<?php
namespace Acme\Post\Tests\Support;
