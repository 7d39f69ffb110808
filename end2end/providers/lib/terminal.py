"""Runs a program in a terminal: what it shows goes to standard output, what is typed comes by standard input."""
import fcntl, os, pty, select, signal, struct, sys, termios

pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 40, 120, 0, 0))
signal.signal(signal.SIGTERM, lambda *_: os.kill(pid, signal.SIGKILL))
sources = [terminal, 0]
while True:
    try:
        ready, _, _ = select.select(sources, [], [])
        for source in ready:
            data = os.read(source, 65536)
            if source == 0:
                if data:
                    os.write(terminal, data)
                else:
                    sources.remove(0)
            elif data:
                os.write(1, data)
            else:
                raise EOFError
    except (OSError, EOFError):
        break
os.waitpid(pid, 0)
