import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { askableServers, type ServerChoice } from './askable-servers.ts';

/** Why a time server could not confirm the clock, a sentence that names the server. */
export type ServerProblem = string;

/** More servers do not help to find the first problem. */
const maxProblems = 10;

/** What is known of a clock that no time server has confirmed, or that the last answer contradicts. */
export interface UnconfirmedClock {
  readonly choice: ServerChoice;
  /** Of the last round, in the order of the servers. */
  readonly problems: readonly ServerProblem[];
  /**
   * Services wait for a time server (`awaited`), or run because the time that the configuration gives the wait is over (`timed-out`), or
   * because a server has confirmed the clock before (`contradicted`).
   */
  readonly use: 'awaited' | 'timed-out' | 'contradicted';
  /** Whether the clock was before the build of the image at the start. */
  readonly wasBehind: boolean;
}

const useTexts: Readonly<Record<UnconfirmedClock['use'], string>> = {
  awaited: 'etcd, trustd and the kubelet wait for it',
  'timed-out': 'bootTimeout has passed, so services run with the time of this machine',
  contradicted:
    'it was confirmed before, so services run with it; it is set when the time servers agree against it for 15 minutes',
};

/**
 * Why the clock of a machine is not synchronised. `undefined` while the servers are asked for the first time.
 */
export function timeWait({ choice, problems, use, wasBehind }: UnconfirmedClock): DiagnosticSpec | undefined {
  const waiters = [
    useTexts[use],
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
  const remedy =
    use === 'contradicted'
      ? 'compare it with a clock that you trust, and name time servers that you trust in TimeSyncConfig ntp.servers'
      : `${name}; enabled: false ends the wait`;
  return {
    message: `the clock is not synchronised: ${first}`,
    details: [...others.slice(0, maxProblems - 1), ...waiters, remedy],
  };
}
