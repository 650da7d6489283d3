import { node, python, sh } from '../escape/attack.ts';

const wall = { policy: { wall_ms: 700 } };
const QUIET = 'os.closerange(0, 3)';

export const PROCESSES = [
  python('leaves a child', 'alive', `os.fork() or (${QUIET}, time.sleep(20))`, { slice: true }),
  python('leaves a grandchild', 'alive', `os.fork() or os.fork() or (${QUIET}, time.sleep(20))`),
  python('leaves a session of its own', 'alive', `daemon(lambda: (${QUIET}, time.sleep(20)))`),
  python('leaves a session in another folder', 'alive', `daemon(lambda: (${QUIET}, os.chdir('/'), time.sleep(20)))`),
  python(
    'leaves one that ignores signals',
    'alive',
    `
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
daemon(lambda: (${QUIET}, time.sleep(20)))`,
  ),
  python(
    'leaves a stopped one',
    'alive',
    `
child = os.fork()
if child == 0: ${QUIET}; os.setsid(); time.sleep(20)
time.sleep(0.05); os.kill(child, signal.SIGSTOP)`,
  ),
  python('leaves one that holds the pipes', 'alive', `daemon()`),
  python(
    'leaves one with an empty environment and another program',
    'alive',
    `
daemon(lambda: (${QUIET}, os.chdir('/'), os.execve('/bin/sh', ['sh', '-c', 'sleep 20 & wait', T], {})))`,
  ),
  python(
    'leaves a relay of short lives',
    'alive',
    `
def relay():
    ${QUIET}; os.chdir('/')
    end = time.time() + 10
    while time.time() < end:
        if os.fork(): os._exit(0)
        os.setsid(); time.sleep(0.03)
daemon(relay)`,
  ),
  python(
    'leaves a brother instead of a child',
    'alive',
    `
child = call('clone', 0x8000 | 17, 0, 0, 0, 0)
if child == 0: ${QUIET}; os.setsid(); time.sleep(20); os._exit(0)`,
  ),
  python('leaves a swarm', 'alive', `[daemon(lambda: (${QUIET}, time.sleep(20))) for _ in range(15)]`),
  python(
    'takes on orphans',
    'alive',
    `
C.prctl(36, 1, 0, 0, 0); daemon(lambda: (${QUIET}, time.sleep(20))); C.prctl(1, 0, 0, 0, 0)`,
  ),
  python(
    'outlives the deadline in a session',
    'alive',
    `daemon(lambda: (${QUIET}, time.sleep(20))); time.sleep(1.5)`,
    wall,
  ),
  python(
    'outlives the deadline stopped',
    'alive',
    `daemon(lambda: (${QUIET}, os.kill(os.getpid(), 19))); time.sleep(1.5)`,
    wall,
  ),
  python(
    'outlives the deadline in a relay',
    'alive',
    `
def relay():
    ${QUIET}; os.chdir('/')
    end = time.time() + 10
    while time.time() < end:
        if os.fork(): os._exit(0)
        os.setsid(); time.sleep(0.03)
daemon(relay); time.sleep(1.5)`,
    wall,
  ),
  python(
    'leaves the dead unburied',
    { over: 'zombies', limit: 0 },
    `
def litter():
    ${QUIET}
    for _ in range(30): os.fork() or os._exit(0)
    time.sleep(20)
daemon(litter); time.sleep(0.1)`,
  ),
  python(
    'makes more processes than it may',
    { over: 'processes', limit: 24 },
    `
for _ in range(40):
    try: os.fork() or (time.sleep(1.2), os._exit(0))
    except OSError: pass
time.sleep(1.2)`,
    { policy: { pids_max: 20 }, property: 'pids_limit', alone: true },
  ),
  python(
    'makes more threads than it may',
    { over: 'processes', limit: 24 },
    `
import threading
for _ in range(40):
    try: threading.Thread(target=time.sleep, args=(1.2,)).start()
    except RuntimeError: pass`,
    { policy: { pids_max: 20 }, property: 'pids_limit', alone: true },
  ),
  sh('leaves a child by nohup', 'alive', 'nohup sh -c "sleep 20" "$T" > /dev/null 2>&1 &'),
  sh('leaves a session by setsid', 'alive', 'setsid sh -c "sleep 20; :" "$T" > /dev/null 2>&1 < /dev/null &'),
  node(
    'leaves a child by Node',
    'alive',
    `spawn('sh', ['-c', 'sleep 20; :', T], { detached: true, stdio: 'ignore' }).unref()`,
  ),
];
