<?php
namespace Acme\Post;
trait Sealed {}
