// A node of processes has a folder as its root, and next to it shows the kernel's files of the host. Files
// that reveal something about other programs of the host are hidden.

/** Folders of the host that a node of processes shows as its own. */
export const hostFolders: readonly string[] = ['dev', 'proc', 'sys'];

/** Whether a path of a node of processes is served from the host. @param path absolute and clean, without links */
export function isHostPath(path: string): boolean {
  return hostFolders.some((name) => path.startsWith(name, 1) && (path[name.length + 1] ?? '/') === '/');
}

/**
 * The files of a process that are shown: numbers and limits. Its environment, memory and open files are
 * hidden, and so is everything that links to files of the host.
 */
const shownOfProcess: ReadonlySet<string> = new Set([
  'attr',
  'cgroup',
  'cmdline',
  'comm',
  'cpuset',
  'io',
  'latency',
  'limits',
  'loginuid',
  'mountinfo',
  'mounts',
  'mountstats',
  'net',
  'oom_adj',
  'oom_score',
  'oom_score_adj',
  'personality',
  'sched',
  'schedstat',
  'sessionid',
  'stat',
  'statm',
  'status',
  'task',
  'timerslack_ns',
  'wchan',
]);

/**
 * Hidden paths: memory of the kernel, files whose data a read would take away from other programs, and kernel
 * file systems with data of other programs or for tracing them.
 */
const hidden: readonly string[] = [
  'proc/kcore',
  'proc/kmsg',
  'proc/kpagecgroup',
  'proc/kpagecount',
  'proc/kpageflags',
  'proc/keys',
  'proc/vmcore',
  'sys/firmware/efi/efivars',
  'sys/fs/bpf',
  'sys/fs/pstore',
  'sys/kernel/debug',
  'sys/kernel/tracing',
  'dev/hugepages',
  'dev/mqueue',
  'dev/shm',
];

/**
 * Whether a node of processes hides this path of the host.
 *
 * @param path absolute and clean, without links
 */
export function isHiddenOnHost(path: string): boolean {
  const names = path.slice(1).split('/');
  const process = names[0] === 'proc' && /^\d+$/.test(names[1] ?? '') ? names.slice(2) : [];
  // /proc/<pid>/task/<tid> has the same files as /proc/<pid>.
  const own = process[0] === 'task' ? process.slice(2) : process;
  if (own[0] !== undefined && !shownOfProcess.has(own[0])) return true;
  return hidden.some((each) => path === `/${each}` || path.startsWith(`/${each}/`));
}
