"""Runs a command on what looks like an older kernel: the named system calls do not exist.

usage: refuse.py CALL... -- COMMAND...
"""

import errno
import os
import sys

import seccomp

split = sys.argv.index("--")
calls, command = sys.argv[1:split], sys.argv[split + 1 :]
refused = seccomp.SyscallFilter(seccomp.ALLOW)
for call in calls:
    refused.add_rule(seccomp.ERRNO(errno.ENOSYS), call)
refused.load()
os.execvp(command[0], command)
