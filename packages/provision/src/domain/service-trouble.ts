import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';

/**
 * Why a service does not run: the message of its last end, while it has failed or is started again. `undefined` while it runs and is
 * healthy, and while it has not ended yet. Source: Talos v1.14: restart wrapper.
 */
export function serviceTrouble({
  state,
  health,
  events,
}: Pick<ServiceInfo, 'state' | 'health' | 'events'>): string | undefined {
  if (state === 'Running' && health?.healthy === true) return undefined;
  const ends = (events?.events ?? []).filter(
    ({ state: then, msg }) => then === 'Failed' || / going to restart\b/.test(msg),
  );
  const message = ends.at(-1)?.msg;
  return message?.replace(/^.* going to restart[^:]*: /s, '');
}
