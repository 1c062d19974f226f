/** Says where the programs of etcd are: a folder, or `none` for clusters without etcd. */
export const etcdVariable = 'NODEWRIGHT_ETCD';

const passed = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  'LOG_LEVEL',
  'TRACEPARENT',
  etcdVariable,
]);
const passedPrefixes = ['LC_', 'OTEL_'];

/**
 * One heap for all threads of a process: glibc otherwise makes one a thread, 4 MB of resident memory a daemon, and
 * hardly any of these threads allocates while another does.
 */
const memoryEnvironment = { MALLOC_ARENA_MAX: '1' } as const;

/**
 * What a process that outlives the command gets of the command's environment: where to find things, how to log and
 * trace. Everything else is the user's business and may be secret.
 */
export function daemonEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const entries = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (passed.has(entry[0]) || passedPrefixes.some((prefix) => entry[0].startsWith(prefix))),
  );
  return { ...Object.fromEntries(entries), ...memoryEnvironment };
}
