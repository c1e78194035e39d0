"""Runs a command on a pseudo-terminal of 80 by 24, and copies what it shows.

Its stdout is the command's own, unless `--stdout` stands before the command; what
the terminal shows goes to stderr, and what comes on stdin is typed.
"""

import fcntl
import os
import pty
import select
import struct
import sys
import termios

command = [word for word in sys.argv[1:] if word != "--stdout"]
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
child = os.fork()
if child == 0:
    os.setsid()
    os.close(master)
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    if sys.argv[1] == "--stdout":
        os.dup2(slave, 1)
    os.dup2(slave, 2)
    os.close(slave)
    os.execvp(command[0], command)
os.close(slave)
sources = [0, master]
while True:
    if 0 in select.select(sources, [], [])[0]:
        typed = os.read(0, 65536)
        if typed:
            os.write(master, typed)
        else:
            sources.remove(0)
        continue
    try:
        data = os.read(master, 65536)
    except OSError:  # Linux says so when the other side is closed.
        break
    if not data:
        break
    os.write(2, data)
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 255)
