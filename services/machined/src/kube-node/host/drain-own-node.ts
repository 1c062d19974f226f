import { pauseBy, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { nodenames, nodeStatuses } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { specOf } from '../../base/resources/spec-of.ts';
import type { OpenNodes } from './node-follower.ts';

export interface DrainOwnNodeInit {
  readonly state: State;
  /** Whether the kubelet has joined a cluster. */
  readonly hasJoined: () => boolean;
  readonly openNodes: OpenNodes;
  readonly timers: Timers;
  readonly log: Logger;
}

/** How long the cordon may take. Source: Talos v1.14: drain, times. */
const cordonTimeoutMs = 60_000;
const cordonPollMs = 500;

/**
 * Waits until the node is cordoned, which a controller does at the same time, and then drains it. It does nothing on a node that is not
 * in a cluster.
 *
 * @throws Fault `deadline-exceeded` when the node is not cordoned after a minute, or not drained after five more
 */
export async function drainOwnNode(init: DrainOwnNodeInit, signal: AbortSignal): Promise<void> {
  const { state, hasJoined, openNodes, timers, log } = init;
  const own = await specOf(state, pointerTo(nodenames));
  if (own === undefined || own.skipNodeRegistration || !hasJoined()) return;
  const node = own.nodename;
  await untilCordoned(init, node, signal);
  // Loaded here, because a node that is not drained does not need it.
  const { drainNode } = await import('@nodewright/client/kube-nodes');
  using nodes = await openNodes(signal);
  log.info({ node }, 'draining the node');
  await drainNode({
    ...{ node, nodes, timers, signal },
    report: (step) => log.info({ node, step }, 'drain'),
  });
  log.info({ node }, 'the node is drained');
}

async function untilCordoned(
  { state, timers }: DrainOwnNodeInit,
  node: string,
  signal: AbortSignal,
): Promise<void> {
  const endMs = timers.monotonicMs() + cordonTimeoutMs;
  while (!(await specOf(state, pointerTo(nodeStatuses, node)))?.unschedulable) {
    if (timers.monotonicMs() >= endMs)
      throw new Fault('deadline-exceeded', `node ${node} is not cordoned after ${cordonTimeoutMs / 1000} s`);
    await pauseBy(timers, cordonPollMs, signal);
    signal.throwIfAborted();
  }
}
