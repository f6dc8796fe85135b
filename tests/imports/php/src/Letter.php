<?php
declare(strict_types=1);

namespace Acme\Post;

use Acme\Post\Stamp\{Price, Kind as StampKind};
use Acme\Post\Address as To, Acme\Post\Sender;
use Acme\Post\Legacy\Envelope;
use function Acme\Post\weigh;
use const PHP_EOL;
use Psr\Log\LoggerInterface;
use Acme\Post\Gone;
use Acme\Postal\Code;
use Exception;
// use Acme\Post\Hidden;
# use Acme\Post\Hidden;
/* use Acme\Post\Hidden; */

#[Stamped]
final class Letter
{
    use Sealed;
    private string $text = 'use Acme\Post\Hidden;';

    public function send(): void
    {
        $print = function () use ($x) { return <<<TEXT
use Acme\Post\Hidden;
require 'Hidden.php';
TEXT; };
        require_once __DIR__ . '/templates/letter.php';
        include dirname(__DIR__) . '/legacy/a/Envelope.php';
        $this->require('Hidden.php');
    }
}
