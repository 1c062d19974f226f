/**
 * When the first certificates of the API wait for a time server. `first-configuration`: after maintenance, because the clock of
 * a new machine may be wrong. `every-start`: the clock is known to be wrong.
 */
export type TimeWait = 'never' | 'first-configuration' | 'every-start';

/** How long certificates wait for a time server at most, in ms. */
export const timeWaitMs = 60_000;

/** @param clock that of the machine, if the node may set it; other nodes have that of their host */
export function timeWaitOf(clock: { readonly wasBehind: boolean } | undefined): TimeWait {
  if (clock === undefined) return 'never';
  return clock.wasBehind ? 'every-start' : 'first-configuration';
}
