<p>use Acme\Post\Hidden;</p>
<?php use Acme\Post\Letter; ?>
<p><?= $x ?> require 'Hidden.php';</p>
<?php include 'foot.php'; ?>
