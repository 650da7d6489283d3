import { node, python, sh } from '../escape/attack.ts';

const late = { over: 'settled_ms', limit: 4000 } as const;
const wall = { policy: { wall_ms: 1500 } };

export const TIME = [
  python('sleeps past its time', late, 'time.sleep(5)', { ...wall, slice: true }),
  python(
    'works past its time',
    late,
    `
end = time.time() + 5
while time.time() < end: pass`,
    wall,
  ),
  python(
    'ignores that it is asked to end',
    late,
    `
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
time.sleep(5)`,
    wall,
  ),
  python('stops itself', late, 'os.kill(os.getpid(), signal.SIGSTOP)', wall),
  python('ends, with a child that holds the pipes', late, 'daemon(lambda: time.sleep(5))', wall),
  python(
    'ends, with a child that goes on writing',
    late,
    `
def chatter():
    end = time.time() + 5
    while time.time() < end: os.write(1, b'x'); time.sleep(0.01)
daemon(chatter)`,
    wall,
  ),
  sh('sleeps past its time by shell', late, 'sleep 5', wall),
  node('sleeps past its time by Node', late, 'await new Promise((done) => setTimeout(done, 5000))', wall),
  python(
    'sets the clock to what it is',
    'said',
    `t = struct.pack('qq', *divmod(time.time_ns(), 10**9)); call('clock_settime', 0, ctypes.create_string_buffer(t)); did()`,
  ),
  python(
    'sets the clock the old way',
    'said',
    `t = struct.pack('qq', *divmod(time.time_ns() // 1000, 10**6)); call('settimeofday', ctypes.create_string_buffer(t), None); did()`,
  ),
  python(
    'tunes the clock to what it is',
    'said',
    `
now = ctypes.create_string_buffer(208); call('adjtimex', now); struct.pack_into('I', now, 0, 0x4000); call('adjtimex', now); did()`,
  ),
  python(
    'tunes one clock to what it is',
    'said',
    `
now = ctypes.create_string_buffer(208); call('clock_adjtime', 0, now); struct.pack_into('I', now, 0, 0x4000); call('clock_adjtime', 0, now); did()`,
  ),
  python('makes a time namespace', 'said', `call('unshare', 0x80); did()`),
  python(
    'shifts the clocks of its children',
    'said',
    `call('unshare', 0x80); tell('/proc/self/timens_offsets', 'monotonic 1000 0'); did()`,
  ),
  python(
    'asks for scheduling before all others',
    'said',
    `os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)); did()`,
  ),
  python(
    'asks for scheduling by deadline',
    'said',
    `
call('sched_setattr', 0, ctypes.create_string_buffer(struct.pack('IIQiIQQQ', 48, 6, 0, 0, 0, 10**6, 10**7, 10**7)), 0); did()`,
  ),
  python('asks for a better priority', 'said', `os.nice(-5); did()`),
  python('asks for disk access before all others', 'said', `call('ioprio_set', 1, 0, 1 << 13 | 4); did()`),
  python(
    'raises its own limit of processor time',
    'said',
    `import resource; resource.setrlimit(resource.RLIMIT_CPU, (resource.RLIM_INFINITY,) * 2); did()`,
    { policy: { cpu_ms: 5000 } },
  ),
  python(
    'sets an alarm that wakes the machine',
    'said',
    `number = ctypes.c_int(); call('timer_create', 9, None, ctypes.byref(number)); did()`,
  ),
];
