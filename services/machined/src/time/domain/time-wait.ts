import type { DiagnosticSpec } from '@nodewright/state/kinds';
import { askableServers, type ServerChoice } from './askable-servers.ts';

/** Why a time server could not confirm the clock, a sentence that names the server. */
export type ServerProblem = string;

/** More servers do not help to find the first problem. */
const maxProblems = 10;

/**
 * Why the clock of a machine still waits for a time server. `undefined` while the servers are asked for the first time.
 *
 * @param problems of the last round, in the order of the servers
 */
export function timeWait(
  choice: ServerChoice,
  problems: readonly ServerProblem[],
): DiagnosticSpec | undefined {
  const waiters = 'etcd, trustd and the kubelet wait for it';
  const name = 'name time servers that answer in TimeSyncConfig ntp.servers';
  if (choice.servers.length > 0 && askableServers(choice).length === 0)
    return {
      message:
        'the clock is not synchronised: no time server is asked, because NTS and clock devices are not implemented',
      details: [waiters, `${name}, without ntp.useNTS`],
    };
  const [first, ...others] = problems;
  if (first === undefined) return undefined;
  return {
    message: `the clock is not synchronised: ${first}`,
    details: [...others.slice(0, maxProblems - 1), waiters, `${name}; enabled: false ends the wait`],
  };
}
