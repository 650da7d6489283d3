import { python, sh } from '../escape/attack.ts';

export const PROCFS = [
  python('reads the environment of a bystander', 'leaked', `show('/proc/%d/environ' % B['bystander'])`, {
    slice: true,
  }),
  python("reads the caller's environment", 'leaked', `show('/proc/%d/environ' % B['caller'], 20000)`),
  python("reads the caller's arguments", 'leaked', `show('/proc/%d/cmdline' % B['caller'])`),
  python(
    'reads the environment of every process it sees',
    'leaked',
    `
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: text = open('/proc/%s/environ' % pid, 'rb').read()
    except OSError: continue
    found = text.find(b'SECRET=')
    if found >= 0: say(text[found:found + 40])`,
    { slice: true },
  ),
  python(
    'reads the arguments of every process it sees',
    'leaked',
    `
for pid in filter(str.isdigit, os.listdir('/proc')):
    try: text = open('/proc/%s/cmdline' % pid, 'rb').read()
    except OSError: continue
    if b'--password=' in text: say(text[-60:])`,
    { slice: true },
  ),
  python("reads through the caller's root", 'leaked', `show('/proc/%d/root' % B['caller'] + B['hidden'] + '/secret')`),
  python("reads through the first process's root", 'leaked', `show('/proc/1/root' + B['hidden'] + '/secret')`),
  python("reads in the caller's working folder", 'leaked', `show('/proc/%d/cwd/secret' % B['caller'])`),
  python("writes in the caller's working folder", 'written', `put('/proc/%d/cwd/' % B['caller'] + T)`),
  python("reads an open file of the caller's", 'leaked', `show('/proc/%d/fd/100' % B['caller'])`),
  python('reads an open file of a bystander', 'leaked', `show('/proc/%d/fd/0' % B['bystander'])`),
  python(
    'sees the caller in the process list',
    'said',
    `'node' in open('/proc/%d/comm' % B['caller']).read() and did()`,
  ),
  python(
    "makes a bystander the kernel's first victim",
    'bystander',
    `tell('/proc/%d/oom_score_adj' % B['bystander'], '900')`,
  ),
  python("takes itself off the kernel's list of victims", 'said', `tell('/proc/self/oom_score_adj', '-900'); did()`),
  python('changes the host name through a setting', 'renamed', `tell('/proc/sys/kernel/hostname', T)`, {
    alone: true,
  }),
  python('changes the host name by a call', 'renamed', `call('sethostname', T.encode(), len(T))`, { alone: true }),
  python(
    'writes the setting of core dumps, unchanged',
    'said',
    `
path = '/proc/sys/kernel/core_pattern'; now = open(path).read(); tell(path, now); did()`,
  ),
  python(
    'writes the setting of the last process id',
    'said',
    `path = '/proc/sys/kernel/pid_max'; now = open(path).read(); tell(path, now); did()`,
  ),
  python('opens the trigger of kernel commands', 'said', `os.open('/proc/sysrq-trigger', os.O_WRONLY); did()`),
  python('opens the memory of the kernel', 'said', `os.read(os.open('/proc/kcore', os.O_RDONLY), 64) and did()`),
  python(
    'reads addresses of the kernel',
    'said',
    `
any(int(line.split()[0], 16) for line in open('/proc/kallsyms').readlines()[:50]) and did()`,
  ),
  python('reads counts of physical pages', 'said', `os.read(os.open('/proc/kpagecount', os.O_RDONLY), 64) and did()`),
  python('reads the timers of the kernel', 'said', `open('/proc/timer_list').readline() and did()`),
  python(
    'reads the kernel log through a call',
    'said',
    `buffer = ctypes.create_string_buffer(1000); call('syslog', 3, buffer, 1000) and did()`,
  ),
  python(
    "finds the host's sockets by name",
    'leaked',
    `say('\\n'.join(line for line in open('/proc/net/unix').read().split('\\n') if '-d' not in line and '@h-escape' in line)[:3000])`,
  ),
  python("finds the host's ports", 'said', `':%04X ' % B['tcp'] in open('/proc/net/tcp').read() and did()`),
  sh("reads a bystander's environment by shell", 'leaked', 'tr "\\0" " " < "/proc/$BYSTANDER/environ"'),
];
