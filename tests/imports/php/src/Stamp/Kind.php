<?php
namespace Acme\Post\Stamp;
enum Kind {}
