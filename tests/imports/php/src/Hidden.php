<?php
namespace Acme\Post;
class Hidden {}
