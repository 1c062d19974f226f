// A node of processes has a folder for its root, and shows the kernel's files of the host beside it. What of those
// would tell about other programs of the host is left out.

/** Folders of the host that such a node shows as its own. */
export const hostFolders: readonly string[] = ['dev', 'proc', 'sys'];

/** Whether a path of such a node is the host's. @param path absolute and clean, without links */
export function isHostPath(path: string): boolean {
  return hostFolders.some((name) => path.startsWith(name, 1) && (path[name.length + 1] ?? '/') === '/');
}

/** Of a process: numbers and limits. Not its environment, memory, open files or anything that links to the host's. */
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
 * Memory of the kernel and what reading would take from others; then file systems of the kernel that hold what other
 * programs put there or that trace them.
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
 * Whether a node of processes keeps this path of the host to itself.
 *
 * @param path absolute and clean, without links
 */
export function isHiddenOnHost(path: string): boolean {
  const names = path.slice(1).split('/');
  const process = names[0] === 'proc' && /^\d+$/.test(names[1] ?? '') ? names.slice(2) : [];
  // /proc/<pid>/task/<tid> is a process once more.
  const own = process[0] === 'task' ? process.slice(2) : process;
  if (own[0] !== undefined && !shownOfProcess.has(own[0])) return true;
  return hidden.some((each) => path === `/${each}` || path.startsWith(`/${each}/`));
}
