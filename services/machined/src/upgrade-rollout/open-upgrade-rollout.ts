// Upgrades of all nodes as one plan in etcd, which control planes carry out one after the other.
import { randomBytes } from 'node:crypto';
import { systemTimers } from '@nodewright/async';
import type { EtcdClient } from '@nodewright/etcd';
import { Fault } from '@nodewright/fault';
import {
  type DriverEvent,
  followRollouts,
  isSettled,
  type NodeRole,
  rolloutDriverName,
  takeTurn,
} from '@nodewright/rollout';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses, members, upgradeStatuses } from '@nodewright/state/kinds';
import type { Logger, Telemetry } from '@nodewright/telemetry';
import { isControlPlaneNow, type NodeView } from '../base/resources/node-view.ts';
import { specOf } from '../base/resources/spec-of.ts';
import type { Topic } from '../base/topic.ts';
import type { UpgradeCallsTopic } from '../upgrade-calls/upgrade-calls-topic.ts';
import type { UpgradePlanTopic } from '../upgrade-plan/upgrade-plan-topic.ts';
import { clusterNodes, type MemberProblems, type NamedNode } from './domain/cluster-nodes.ts';
import { grantProblem } from './domain/grant-problem.ts';
import { nodeIllness } from './domain/node-illness.ts';
import { rolloutLimits } from './domain/rollout-limits.ts';
import { createClusterTurns } from './host/cluster-turns.ts';
import { openKeptStore } from './host/kept-store.ts';
import { openNodeCalls } from './host/node-calls.ts';
import { OwnTurns } from './host/own-turns.ts';
import { RequestedRollouts, rolloutProblemText } from './host/requested-rollouts.ts';
import { createRolloutService } from './rpc/rollout-service.ts';
import { createTurnService } from './rpc/turn-service.ts';

export interface OpenUpgradeRolloutInit {
  readonly state: State;
  readonly view: NodeView;
  readonly hostname: () => string;
  /** Connects to etcd of the cluster. */
  readonly openEtcd: () => Promise<EtcdClient>;
  /** Whether this node has data of etcd, so that etcd may have a plan. */
  readonly hasEtcdData: () => Promise<boolean>;
  /** The records in etcd; undefined until the first lists have arrived. */
  readonly listed: () => readonly NamedNode[] | undefined;
  readonly memberProblems: (timeoutMs: number, signal: AbortSignal) => Promise<MemberProblems>;
  readonly calls: Pick<UpgradeCallsTopic, 'own' | 'lacks' | 'isUpgrading' | 'setRolloutProblem'>;
  /** Undefined on a node that no call upgrades. */
  readonly plan: Pick<UpgradePlanTopic, 'current'> | undefined;
  /** Returns the current time in Unix ms. */
  readonly now: () => number;
  /** Aborts when the stop of the node begins. */
  readonly signal: AbortSignal;
  /** Aborts when streams have to end. */
  readonly stopSignal: AbortSignal;
  readonly log: Logger;
  readonly telemetry: Telemetry;
}

/** Opens the topic: it follows roll-outs until `scope` ends. */
export function openUpgradeRollout(init: OpenUpgradeRolloutInit, scope: AsyncDisposableStack): Topic {
  const { state, view, hostname, openEtcd, calls, signal } = init;
  const timers = systemTimers;
  const role = () => roleOf(view);
  const current = () => init.plan?.current() ?? { plan: undefined, waitsFor: '' };
  const store = scope.use(openKeptStore(openEtcd, timers));
  const nodeCalls = scope.use(openNodeCalls({ view, now: init.now, telemetry: init.telemetry }));
  const live = async () => (await state.list(members)).map(({ spec }) => spec);
  const nodes = async () => {
    const listed = init.listed();
    // Before that the members are only this node, or what the creator of the cluster named.
    if (listed === undefined)
      throw new Fault(
        'unavailable',
        'this node has not yet read from etcd which nodes the cluster has: try again in some seconds',
      );
    return clusterNodes(await live(), listed);
  };
  const cluster = createClusterTurns({
    ...{ calls: nodeCalls, nodes, store, timers, ownName: hostname },
    memberProblems: (asked) => init.memberProblems(rolloutLimits.memberMs, asked),
  });
  const turns = new OwnTurns({
    ...{ hostname, role, own: calls.own, current, timers, signal },
    async grantProblem(turn, wanted, asked) {
      // A worker cannot read etcd: the control plane that calls has just done so.
      if (role() !== 'control-plane') return undefined;
      return grantProblem(await store.read(asked), turn, wanted);
    },
  });
  const rollouts = new RequestedRollouts({
    ...{ store, cluster, nodes, pull: calls.own.pull, timers, stopSignal: init.stopSignal },
    randomId: () => randomBytes(16).toString('hex'),
  });
  calls.setRolloutProblem(async (asked) => {
    if (turns.holder !== undefined) return rolloutProblemText(turns.holder);
    const mayHavePlan = isControlPlaneNow(view) && (await init.hasEtcdData().catch(() => false));
    return mayHavePlan ? rollouts.problem(asked) : undefined;
  });
  const following = new AbortController();
  const done = follow(init, { store, cluster, timers }, AbortSignal.any([signal, following.signal]));
  scope.defer(async () => {
    following.abort();
    await done;
  });
  return {
    controllers: [],
    api: {
      'suite.upgrade.v1.RolloutService': createRolloutService({
        assertServed: async () => assertServed(role(), clusterNodes(await live())),
        refusal: () => calls.own.refusal,
        rollouts,
      }),
      'suite.upgrade.v1.TurnService': createTurnService({
        ...{ turns, role, lacks: calls.lacks },
        async illness() {
          const machine = await specOf(state, pointerTo(machineStatuses));
          const status = await specOf(state, pointerTo(upgradeStatuses));
          const facts = { machine, status, state: current(), isUpgrading: calls.isUpgrading() };
          return nodeIllness(facts) ?? calls.own.refusal;
        },
      }),
    },
  };
}

function roleOf(view: Pick<NodeView, 'configuration'>): NodeRole | undefined {
  if (view.configuration() === undefined) return undefined;
  return isControlPlaneNow(view) ? 'control-plane' : 'worker';
}

function assertServed(role: NodeRole | undefined, nodes: ReturnType<typeof clusterNodes>): void {
  if (role === 'control-plane') return;
  const [first] = nodes.filter((node) => node.role === 'control-plane');
  const where = first === undefined ? 'a control plane' : `a control plane, such as ${first.name}`;
  throw new Fault('failed-precondition', `this node is no control plane, and has no roll-outs: ask ${where}`);
}

/** Follows roll-outs while this node is a control plane, until the signal aborts. It never rejects. */
async function follow(
  init: OpenUpgradeRolloutInit,
  {
    store,
    cluster,
    timers,
  }: Pick<Parameters<typeof followRollouts>[0], 'store' | 'timers'> & {
    readonly cluster: ReturnType<typeof createClusterTurns>;
  },
  signal: AbortSignal,
): Promise<void> {
  const { openEtcd, hostname, log, view, hasEtcdData } = init;
  const hasPlans = async () => isControlPlaneNow(view) && (await hasEtcdData().catch(() => false));
  await followRollouts(
    {
      ...{ cluster, actions: cluster, timers },
      store: {
        ...store,
        // Before etcd is there it has no plan, and that is no trouble.
        read: async (asked) => ((await hasPlans()) ? store.read(asked) : undefined),
      },
      report(event) {
        report(event, log);
        // The last look of this driver: nodes refuse other upgrades no longer.
        if (event.kind === 'step' && isSettled(event.plan))
          cluster.preview(event.plan, signal).catch(() => {});
      },
      async takeTurn(asked) {
        await using opened = new AsyncDisposableStack();
        const etcd = opened.use(await openEtcd());
        const ttlSeconds = rolloutLimits.driverTtlSeconds;
        const turn = await takeTurn(etcd, {
          ...{ name: rolloutDriverName, holder: hostname(), ttlSeconds, signal: asked },
        });
        opened.defer(() => turn[Symbol.asyncDispose]());
        const held = opened.move();
        log.info({}, 'this node drives the roll-out');
        return {
          key: turn.key,
          isHeld: () => turn.isHeld(),
          [Symbol.asyncDispose]: () => held.disposeAsync(),
        };
      },
    },
    signal,
  );
}

function report(event: DriverEvent, log: Logger): void {
  if (event.kind === 'trouble') {
    log.warn({ reason: event.reason }, 'the roll-out cannot go on at the moment');
    return;
  }
  const { step, plan } = event;
  if (step.kind === 'wait') return;
  const node = 'node' in step ? (typeof step.node === 'string' ? step.node : step.node.name) : '';
  log.info({ rollout: plan.id, step: step.kind, node, phase: plan.phase }, 'step of the roll-out');
}
