<?php
namespace Acme\Post\Legacy;
