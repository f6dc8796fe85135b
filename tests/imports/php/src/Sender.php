<?php namespace Acme\Post; use Acme\Post\Stamp; class Sender { function price() { return new Stamp\Price(); } }
