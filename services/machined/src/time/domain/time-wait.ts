import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { askableServers, type ServerChoice } from './askable-servers.ts';

/** Why a time server could not confirm the clock, a sentence that names the server. */
export type ServerProblem = string;

/** More servers do not help to find the first problem. */
const maxProblems = 10;

/** What is known of a clock that no time server has confirmed. */
export interface UnconfirmedClock {
  readonly choice: ServerChoice;
  /** Of the last round, in the order of the servers. */
  readonly problems: readonly ServerProblem[];
  /** Whether services wait for a time server; false when the configuration limits the wait, and that time is over. */
  readonly isAwaited: boolean;
  /** Whether the clock was before the build of the image at the start. */
  readonly wasBehind: boolean;
}

/**
 * Why the clock of a machine is not synchronised. `undefined` while the servers are asked for the first time.
 */
export function timeWait({
  choice,
  problems,
  isAwaited,
  wasBehind,
}: UnconfirmedClock): DiagnosticSpec | undefined {
  const waiters = [
    isAwaited
      ? 'etcd, trustd and the kubelet wait for it'
      : 'bootTimeout has passed, so services run with the time of this machine',
    ...(wasBehind ? ['the clock was before the build of the image, and was set to it'] : []),
  ];
  const name = 'name time servers that answer in TimeSyncConfig ntp.servers';
  if (choice.servers.length > 0 && askableServers(choice).length === 0)
    return {
      message:
        'the clock is not synchronised: no time server is asked, because NTS and clock devices are not implemented',
      details: [...waiters, `${name}, without ntp.useNTS`],
    };
  const [first, ...others] = problems;
  if (first === undefined) return undefined;
  return {
    message: `the clock is not synchronised: ${first}`,
    details: [...others.slice(0, maxProblems - 1), ...waiters, `${name}; enabled: false ends the wait`],
  };
}
