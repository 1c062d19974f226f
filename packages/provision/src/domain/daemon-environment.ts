import { h2EngineVariable } from '@nodewright/contract';

/** The folder with the programs of etcd, or `none` for clusters without etcd. */
export const etcdVariable = 'NODEWRIGHT_ETCD';
/** The folder with the programs of Kubernetes. */
export const kubernetesVariable = 'NODEWRIGHT_KUBERNETES';

/** `keep`: the supervisor keeps the newest spans of its nodes. */
export const tracesVariable = 'NODEWRIGHT_TRACES';

const passed = new Set([
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'TZ',
  'TMPDIR',
  // A package names its library of Node.js here where the system has none.
  'LD_LIBRARY_PATH',
  'LOG_LEVEL',
  'TRACEPARENT',
  etcdVariable,
  kubernetesVariable,
  tracesVariable,
  h2EngineVariable,
]);
const passedPrefixes = ['LC_', 'OTEL_'];

/**
 * Limits glibc to one heap per process. By default each thread gets its own, which costs 4 MB of resident
 * memory per daemon, although these threads hardly ever allocate at the same time.
 */
const memoryEnvironment = { MALLOC_ARENA_MAX: '1' } as const;

/**
 * Returns the variables that a detached process inherits from the command: paths, locale, logging and
 * tracing. Other variables are left out, because they may be secret.
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
