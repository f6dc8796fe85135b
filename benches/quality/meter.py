"""Runs a command and prints as JSON what it took.

    meter.py SECONDS OUTPUT COMMAND…

A process of its own, and a small one: what a child takes at most counts from the memory of
the process that starts it. Needs Unix. The command ends after so many seconds.
"""
import json
import os
import signal
import sys

seconds, output, *command = sys.argv[1:]
child = os.fork()
if child == 0:
    try:
        os.dup2(os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        signal.alarm(int(seconds))
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f'{command[0]}: {error.strerror}'.encode())
        os._exit(127)
_, status, used = os.wait4(child, 0)
unit = 1 if sys.platform == 'darwin' else 1024
print(json.dumps(dict(code=os.waitstatus_to_exitcode(status), cpu=round(used.ru_utime + used.ru_stime, 4),
                      peak=used.ru_maxrss * unit)))
