/**
 * Whether pods can have limits and shares of processor and memory. A host whose control groups are of version 1 keeps those
 * controllers to itself.
 *
 * @param controllers content of `cgroup.controllers`
 */
export function hasPodControllers(controllers: string): boolean {
  const names = controllers.trim().split(' ');
  return ['cpu', 'memory', 'pids'].every((name) => names.includes(name));
}
