// What a driver sees of the nodes, and asks of them.
import { Deadline, pauseBy, type Timers } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import { TurnServiceDefinition } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import {
  type ActionState,
  type ClusterFacts,
  type ClusterView,
  isGranted,
  isSettled,
  type NodeActions,
  type PlannedNode,
  type PlanStore,
  planFromBytes,
  type RolloutPlan,
  shortReason,
} from '@nodewright/rollout';
import {
  type ClusterNode,
  clusterFacts,
  type MemberProblems,
  type NodeReport,
  sharedNames,
} from '../domain/cluster-nodes.ts';
import type { NodeTurn } from '../domain/node-turn-id.ts';
import { systemOfAction } from '../domain/rollout-action.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { messageOfTurn, roleOfMessage } from '../domain/turn-of-message.ts';
import type { NodeCalls } from './node-calls.ts';

export interface ClusterTurnsInit {
  /** The host name of this node. */
  readonly ownName: () => string;
  readonly calls: NodeCalls;
  /** The nodes of the cluster. */
  readonly nodes: () => Promise<readonly ClusterNode[]>;
  /** @throws Fault when etcd does not answer */
  readonly memberProblems: (signal: AbortSignal) => Promise<MemberProblems>;
  readonly store: Pick<PlanStore, 'read'>;
  readonly timers: Timers;
}

const preparePollMs = 250;

export interface ClusterTurns extends ClusterView, NodeActions {
  /**
   * As `look()` for a plan that nobody carries out: nodes do not refuse other upgrades for it, or not any more, and say whether they can have
   * its artefact.
   */
  preview(plan: RolloutPlan, signal: AbortSignal): Promise<ClusterFacts>;
}

export function createClusterTurns(init: ClusterTurnsInit): ClusterTurns {
  const { calls, nodes, store, timers } = init;
  /** The turns of a node, by its address. */
  const turnsOf = async (address: string | undefined, name: string) => {
    if (address === undefined) throw new Fault('unavailable', `${name} has no known address`);
    return (await calls.node(address)).service(TurnServiceDefinition);
  };
  const targetOf = async ({ name }: PlannedNode) => {
    const known = await nodes();
    const found = known.find((node) => node.name === name);
    if (found === undefined) throw new Fault('not-found', `${name} is not in the cluster`);
    if (sharedNames(known).includes(name)) throw new Fault('aborted', `several nodes have the name ${name}`);
    return turnsOf(found.address, name);
  };
  return {
    look: (plan, signal) =>
      lookAtCluster(init, { plan, keepsOthersAway: !isSettled(plan), image: '' }, signal),
    preview(plan, signal) {
      const image = systemOfAction(plan.action)?.image ?? '';
      return lookAtCluster(init, { plan, keepsOthersAway: false, image }, signal);
    },
    async start(plan, node, signal) {
      const wanted = systemOfAction(plan.action);
      if (wanted === undefined)
        throw new Fault('failed-precondition', 'the plan does not name a system: abort it');
      const turns = await targetOf(node);
      const turn = messageOfTurn(turnOf(plan, node));
      const { image, allowsDowngrade, dropsExtensions } = wanted;
      const request = { turn, image, allowDowngrade: allowsDowngrade, withoutExtensions: dropsExtensions };
      using limit = Deadline.by(timers, rolloutLimits.prepareMs, signal);
      while (!limit.signal.aborted) {
        const { ticket } = await turns.prepare(request, { signal: limit.signal });
        if (ticket.length > 0) {
          // With the answer in hand, so that the node begins within seconds of this look, or not at all.
          if (!(await isStillGranted(store, plan, node, limit.signal))) return;
          await turns.begin({ turn, ticket }, { signal: limit.signal });
          return;
        }
        const { state } = await turns.progress(
          { turn, keepsOthersAway: true, image: '' },
          { signal: limit.signal },
        );
        if (state !== 'not-begun' && state !== 'preparing') return;
        await pauseBy(timers, preparePollMs, limit.signal);
      }
      signal.throwIfAborted();
    },
    async withdraw(plan, node, signal) {
      const turns = await targetOf(node);
      using limit = Deadline.by(timers, rolloutLimits.callMs, signal);
      await turns.withdraw({ turn: messageOfTurn(turnOf(plan, node)) }, { signal: limit.signal });
    },
  };
}

const turnOf = ({ id }: RolloutPlan, { name, role, attempt }: PlannedNode): NodeTurn => ({
  ...{ rollout: id, node: name, role, attempt },
});

async function isStillGranted(
  store: Pick<PlanStore, 'read'>,
  { id, action }: RolloutPlan,
  { name, attempt }: PlannedNode,
  signal: AbortSignal,
): Promise<boolean> {
  const stored = await store.read(signal);
  const result = stored && planFromBytes(stored.bytes);
  return (
    result?.kind === 'plan' && result.plan.action === action && isGranted(result.plan, { id, name, attempt })
  );
}

interface Look {
  readonly plan: RolloutPlan;
  readonly keepsOthersAway: boolean;
  /** The artefact that each node is asked for; empty: none. */
  readonly image: string;
}

async function lookAtCluster(
  { calls, nodes, ownName, memberProblems, timers }: ClusterTurnsInit,
  look: Look,
  signal: AbortSignal,
): Promise<ClusterFacts> {
  const known = await nodes();
  const reports = new Map<string, NodeReport | string>();
  const left = [...known];
  const askNext = async () => {
    for (let node = left.shift(); node !== undefined; node = left.shift())
      reports.set(node.name, await reportOf({ calls, timers }, look, node, signal));
  };
  const [etcd] = await Promise.all([
    memberProblems(signal).catch((error: unknown) => faultFrom(error).message),
    ...Array.from({ length: rolloutLimits.callsAtOnce }, askNext),
  ]);
  signal.throwIfAborted();
  const own = ownName().toLowerCase();
  const report = reports.get(own);
  // All calls go through the API of this node, so such a look says nothing about the others.
  if (typeof report === 'string')
    throw new Fault('unavailable', `${own} does not reach its own API: ${report}: ask another control plane`);
  return clusterFacts(known, reports, etcd);
}

/** What a node says; a text says why it did not answer. */
async function reportOf(
  { calls, timers }: Pick<ClusterTurnsInit, 'calls' | 'timers'>,
  { plan, keepsOthersAway, image }: Look,
  { name, role, address }: ClusterNode,
  signal: AbortSignal,
): Promise<NodeReport | string> {
  if (address === undefined) return 'it has no known address';
  const planned = plan.nodes.find((node) => node.name === name);
  // A node that has come since the plan was made has no turn in it, and is asked how it is.
  const turn = messageOfTurn(
    turnOf(plan, planned ?? { name, role, attempt: 1, progress: { state: 'waiting' } }),
  );
  using limit = Deadline.by(timers, rolloutLimits.callMs, signal);
  try {
    const client: NodeClient = await calls.node(address);
    const answer = await client
      .service(TurnServiceDefinition)
      .progress({ turn, keepsOthersAway, image }, { signal: limit.signal });
    return {
      role: roleOfMessage(answer.role),
      action:
        planned === undefined ? { kind: 'unknown' } : actionOf(answer.state, shortReason(answer.reason)),
      illness: answer.illness === '' ? undefined : shortReason(answer.illness),
      lacks: answer.lacks === '' ? undefined : shortReason(answer.lacks),
    };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind === 'unimplemented') return 'its version has no roll-outs: upgrade it by itself first';
    return limit.signal.aborted ? 'does not answer' : shortReason(message);
  }
}

function actionOf(state: string, reason: string): ActionState {
  if (state === 'failed') return { kind: 'failed', reason };
  if (state === 'not-begun' || state === 'preparing' || state === 'running') return { kind: state, reason };
  if (state === 'done' || state === 'withdrawn') return { kind: state };
  return { kind: 'unknown' };
}
