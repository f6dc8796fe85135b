<?php
class Old_Thing {}
