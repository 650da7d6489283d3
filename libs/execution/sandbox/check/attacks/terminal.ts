import { node, python, sh } from '../escape/attack.ts';

const INJECT = 0x5412;

export const TERMINAL = [
  python("writes to the caller's terminal", 'typed', `put('/dev/tty', os.O_WRONLY)`, { slice: true }),
  python(
    "types into the caller's terminal",
    'typed',
    `
import fcntl
fd = os.open('/dev/tty', os.O_RDWR)
for letter in T: fcntl.ioctl(fd, ${INJECT}, letter.encode())`,
  ),
  ...[0, 1, 2].map((fd) =>
    python(
      `types into a terminal at descriptor ${fd}`,
      fd === 0 ? 'typed' : 'said',
      `
import fcntl
if ${fd}: os.dup2(0, ${fd} + 50)
for letter in T: fcntl.ioctl(${fd} and ${fd} + 50, ${INJECT}, letter.encode())
did()`,
    ),
  ),
  python(
    'types with a call number of more than 32 bits',
    'typed',
    `
for letter in T: call('ioctl', 0, ctypes.c_ulong(${INJECT} | 1 << 40), ctypes.c_char_p(letter.encode()))`,
  ),
  python("writes to the caller's terminal by its name", 'typed', `put(B['tty'], os.O_WRONLY | os.O_NOCTTY)`),
  python("writes to the caller's terminal through standard input", 'typed', `os.write(0, T.encode())`),
  python(
    "takes the caller's terminal as its own",
    'said',
    `
import fcntl
fd = os.open(B['tty'], os.O_RDWR | os.O_NOCTTY)
if os.fork() == 0:
    os.setsid(); fcntl.ioctl(fd, 0x540e, 0 if os.getuid() else 0); os._exit(0)
os.wait(); os.isatty(fd) and did()`,
  ),
  python('asks how large the terminal is', 'said', `os.get_terminal_size(os.open('/dev/tty', os.O_RDONLY)) and did()`),
  python('has a terminal', 'said', `any(map(os.isatty, range(3))) and did()`),
  sh("writes to the caller's terminal by shell", 'typed', 'echo "$T" > /dev/tty'),
  node("writes to the caller's terminal by Node", 'typed', `fs.writeSync(fs.openSync('/dev/tty', 'w'), T)`),
];
