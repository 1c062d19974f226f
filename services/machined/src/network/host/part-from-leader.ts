import { pauseBy, type Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { leaderCheckMs, restAfterHandoverMs } from '../domain/virtual-address.ts';

/**
 * Hands the leadership of etcd to another control plane when this node has it.
 *
 * @returns the name of the new leader; undefined when this node is not the leader
 * @throws Fault when there is no other voter, or etcd does not answer
 */
export type YieldLeadership = (signal: AbortSignal) => Promise<string | undefined>;

export interface PartFromLeaderInit {
  readonly yieldLeadership: YieldLeadership;
  readonly timers: Timers;
  readonly log: Logger;
}

/**
 * Keeps the leader of etcd on another node while this one has a virtual address. A new leader counts all leases anew, so when both
 * died together, the address would move some seconds after the end of its lease. It never fails, and ends with the signal.
 */
export async function partFromLeader(
  { yieldLeadership, timers, log }: PartFromLeaderInit,
  signal: AbortSignal,
): Promise<void> {
  let problem: string | undefined;
  while (!signal.aborted) {
    let restMs = leaderCheckMs;
    try {
      const leader = await yieldLeadership(signal);
      if (leader !== undefined) {
        restMs = restAfterHandoverMs;
        log.info({ leader }, 'another node leads etcd now, because this one has the virtual address');
      }
      problem = undefined;
    } catch (error) {
      const { message } = faultFrom(error);
      // With a single control plane it stays like this.
      if (!signal.aborted && message !== problem)
        log.debug({ error: message }, 'this node goes on leading etcd');
      problem = message;
    }
    await pauseBy(timers, restMs, signal);
  }
}
