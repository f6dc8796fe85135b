<?php
namespace Acme\Post { use Acme\Post\Stamp\Price; class Address { use Sealed; } }
