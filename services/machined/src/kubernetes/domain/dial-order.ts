/** What is known about a backend: nothing yet, or the result of the last check. */
export type BackendHealth = 'unknown' | 'up' | 'down';

/**
 * The order in which a new connection tries the backends: those that answer in turns, then those that nobody has checked
 * yet, and last those that failed, because a check may be older than their return.
 *
 * @param turn counts the connections
 */
export function dialOrder<B extends { readonly health: BackendHealth }>(
  backends: readonly B[],
  turn: number,
): B[] {
  const up = backends.filter(({ health }) => health === 'up');
  const first = up.length === 0 ? 0 : turn % up.length;
  return [
    ...up.slice(first),
    ...up.slice(0, first),
    ...backends.filter(({ health }) => health === 'unknown'),
    ...backends.filter(({ health }) => health === 'down'),
  ];
}
