"""`python -m packer` is the command."""

import os
import subprocess
import sys

from ._command import find


def main() -> None:
    command = [find(), *sys.argv[1:]]
    if os.name == "nt":
        # There a process that replaces itself is another one, for which nobody waits.
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
