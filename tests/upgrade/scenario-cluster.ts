// A cluster of five nodes with the real logic of roll-outs: drivers, turns, and the plan of each node. Machines, etcd and the time are those
// of a test, so that an hour takes a second.
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { pauseBy } from '@nodewright/async';
import type { NodeClient } from '@nodewright/client';
import type {
  Rollout,
  TurnServiceImplementation,
} from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import {
  followRollouts,
  type NodeRole,
  type PlanStore,
  type StoredPlan,
  type Turn,
} from '@nodewright/rollout';
import { pointerTo } from '@nodewright/state';
import { machineStatuses, upgradeStatuses } from '@nodewright/state/kinds';
import type { CallContext } from 'nice-grpc';
import { changeLines } from '../../cli/talosctl/src/upgrade/rollout-text.ts';
import { specOf } from '../../services/machined/src/base/resources/spec-of.ts';
import type { NodePlansInit } from '../../services/machined/src/upgrade-plan/host/node-plans.ts';
import {
  freeNode,
  MemoryTurns,
  openTestPlans,
  TestMachine,
  type TestPlans,
} from '../../services/machined/src/upgrade-plan/testing/test-plans.ts';
import { nodeIllness } from '../../services/machined/src/upgrade-rollout/domain/node-illness.ts';
import { rolloutMessage } from '../../services/machined/src/upgrade-rollout/domain/rollout-message.ts';
import {
  type ClusterTurns,
  createClusterTurns,
} from '../../services/machined/src/upgrade-rollout/host/cluster-turns.ts';
import { OwnTurns } from '../../services/machined/src/upgrade-rollout/host/own-turns.ts';
import { RequestedRollouts } from '../../services/machined/src/upgrade-rollout/host/requested-rollouts.ts';
import { createTurnService } from '../../services/machined/src/upgrade-rollout/rpc/turn-service.ts';

/** How long a machine takes to start. */
const startMs = 20_000;
/** How long a system that is tried may take to be ready, as a machine has it. */
const trialMs = 600_000;
const stepMs = 500;

class MemoryStore implements PlanStore {
  #stored: StoredPlan | undefined;
  async read() {
    return this.#stored;
  }
  async write(bytes: Uint8Array, { revision, turn }: { readonly revision: bigint; readonly turn?: Turn }) {
    if ((this.#stored?.revision ?? 0n) !== revision || turn?.isHeld() === false) return false;
    this.#stored = { bytes, revision: revision + 1n };
    return true;
  }
  async remove(revision: bigint) {
    if (this.#stored?.revision !== revision) return false;
    this.#stored = undefined;
    return true;
  }
}

/** One run of the node manager of a node. */
interface Run {
  readonly rig: TestPlans;
  readonly service: TurnServiceImplementation;
  readonly stop: AbortController;
}

export class ScenarioNode {
  readonly name: string;
  readonly role: NodeRole;
  readonly address: string;
  readonly machine: TestMachine;
  /** What the test changes of its plan, such as how it drains. */
  change: Partial<NodePlansInit> = {};
  /** Brings the artefact into its store. */
  pull: (image: string) => Promise<string> = async (image) => image;
  /** Why its member of etcd is not healthy. */
  memberFailure: string | undefined;
  run: Run | undefined;
  /** When the machine has started; undefined while it runs. */
  startsAtMs: number | undefined = 0;
  trialSinceMs: number | undefined;

  constructor(name: string, role: NodeRole, index: number, turns: MemoryTurns) {
    this.name = name;
    this.role = role;
    this.address = `10.0.0.${index + 1}`;
    this.machine = new TestMachine(name, turns);
  }
}

export class ScenarioCluster {
  readonly timers = new FakeTimers(0);
  readonly nodes: readonly ScenarioNode[];
  readonly rollouts: RequestedRollouts;
  /** What `talosctl upgrade status --watch` prints of all changes, without the id. */
  readonly lines: string[] = [];
  readonly #store = new MemoryStore();
  readonly #stop = new AbortController();
  readonly #drivers: ClusterTurns;
  #driver: object | undefined;
  #shown: Rollout | undefined;
  #ids = 0;

  constructor(shape: { readonly controlPlanes: number; readonly workers: number }) {
    const turns = new MemoryTurns();
    this.nodes = Array.from({ length: shape.controlPlanes + shape.workers }, (_, index) => {
      const role = index < shape.controlPlanes ? 'control-plane' : 'worker';
      return new ScenarioNode(`node0${index + 1}`, role, index, turns);
    });
    this.#drivers = this.#turnsOf(() => 'a node outside');
    this.rollouts = new RequestedRollouts({
      ...{ store: this.#store, cluster: this.#drivers, nodes: async () => this.nodes, timers: this.timers },
      ...{ pull: async (image) => image, stopSignal: this.#stop.signal },
      randomId: () => {
        this.#ids += 1;
        return String(this.#ids).padStart(32, '0');
      },
    });
  }

  node(name: string): ScenarioNode {
    const found = this.nodes.find((node) => node.name === name);
    if (found === undefined) throw new Error(`no ${name}`);
    return found;
  }

  /** The programs of a node end at once, as at a loss of power. */
  cutPower(node: ScenarioNode): void {
    node.run?.stop.abort(new Error(`${node.name} has no power`));
    node.run = undefined;
    node.startsAtMs = this.timers.now() + startMs;
  }

  /** The slot that each node runs. */
  slots(): string {
    return this.nodes.map(({ machine }) => machine.status.slot).join('');
  }

  /** Begins a roll-out of a system, as an operator does once all nodes are well. */
  async begin(image = 'registry.test/installer:v1.14.6'): Promise<void> {
    await this.until(() => this.nodes.every(({ run }) => run !== undefined));
    const wanted = {
      image,
      allowsDowngrade: false,
      dropsExtensions: false,
      maxUnavailable: 1,
      pauseAfter: 0,
    };
    await this.rollouts.start(wanted, this.#stop.signal);
  }

  async status(): Promise<Rollout> {
    const plan = await this.rollouts.status(this.#stop.signal);
    if (plan === undefined) throw new Error('no roll-out');
    return rolloutMessage(plan);
  }

  /** Lets time pass until the roll-out is as wanted. @throws Error with what has happened after two hours */
  untilStatus(isSo: (rollout: Rollout) => boolean): Promise<void> {
    return this.until(() => this.#shown !== undefined && isSo(this.#shown));
  }

  /** Lets time pass until the condition holds. @throws Error as `untilStatus()` */
  async until(condition: () => boolean): Promise<void> {
    for (let round = 0; !condition(); round += 1) {
      if (round * stepMs > 7_200_000) throw new Error(`it never happens: ${this.lines.join('\n')}`);
      await this.#pass();
    }
  }

  /** Ends all programs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the test is over'));
    for (const node of this.nodes) this.cutPower(node);
    for (let round = 0; round < 20; round += 1) await turnOfLoop();
  }

  async #pass(): Promise<void> {
    for (const node of this.nodes) await this.#turnMachine(node);
    while (this.timers.step(this.timers.now() + stepMs)) {
      for (let round = 0; round < 4; round += 1) await turnOfLoop();
      if (this.timers.now() % stepMs === 0) break;
    }
    for (let round = 0; round < 4; round += 1) await turnOfLoop();
    await this.#show();
  }

  /** Starts machines that are off, turns those off that restart, and ends trials. */
  async #turnMachine(node: ScenarioNode): Promise<void> {
    const { machine, startsAtMs, run } = node;
    const nowMs = this.timers.now();
    if (startsAtMs !== undefined) {
      if (nowMs < startsAtMs) return;
      if (nowMs > 0) machine.start();
      node.startsAtMs = undefined;
      node.trialSinceMs = machine.status.mode === 'trial' ? nowMs : undefined;
      node.run = await this.#runOf(node);
      return;
    }
    await run?.rig.sync();
    if (machine.status.mode !== 'trial') node.trialSinceMs = undefined;
    const isOver = node.trialSinceMs !== undefined && nowMs - node.trialSinceMs >= trialMs;
    if ((run?.rig.ends.length ?? 0) > 0 || isOver) this.cutPower(node);
  }

  async #runOf(node: ScenarioNode): Promise<Run> {
    const { name, role, machine } = node;
    const { timers } = this;
    const stop = new AbortController();
    const change = { timers, isMember: async () => role === 'control-plane', ...node.change };
    const rig = await openTestPlans({ machine, stop, change });
    const current = () => ({ plan: rig.holder.current().plan, waitsFor: rig.holder.current().waitsFor });
    const turns = new OwnTurns({
      ...{ hostname: () => name, role: () => role, timers, signal: stop.signal, current },
      grantProblem: async () => undefined,
      own: {
        ...{ refusal: undefined, pull: (image) => node.pull(image) },
        async begin(wanted, signal) {
          const rest = { ignoresEtcd: role === 'worker', restart: 'graceful', actorId: '' } as const;
          await rig.plans.begin({ ...wanted, ...rest }, signal);
        },
      },
    });
    const service = createTurnService({
      ...{ turns, role: () => role, lacks: async () => undefined },
      async illness() {
        const machineStatus = await specOf(rig.state, pointerTo(machineStatuses));
        const status = await specOf(rig.state, pointerTo(upgradeStatuses));
        return nodeIllness({ machine: machineStatus, status, state: current(), isUpgrading: false });
      },
    });
    rig.plans.resume(freeNode, stop.signal).catch(() => {});
    if (role === 'control-plane') void this.#drive(node, stop.signal);
    return { rig, service, stop };
  }

  async #drive(node: ScenarioNode, signal: AbortSignal): Promise<void> {
    const cluster = this.#turnsOf(() => node.name);
    const { timers } = this;
    await followRollouts(
      {
        ...{ store: this.#store, cluster, actions: cluster, timers, report: () => {} },
        takeTurn: async (asked) => {
          const own = {};
          while (this.#driver !== undefined && !asked.aborted) await pauseBy(timers, stepMs, asked);
          asked.throwIfAborted();
          this.#driver = own;
          return {
            ...{ key: `driver/${node.name}`, isHeld: () => !signal.aborted && this.#driver === own },
            [Symbol.asyncDispose]: async () => {
              if (this.#driver === own) this.#driver = undefined;
            },
          };
        },
      },
      signal,
    );
  }

  #turnsOf(ownName: () => string): ClusterTurns {
    const controlPlanes = () => this.nodes.filter(({ role }) => role === 'control-plane');
    return createClusterTurns({
      ...{ ownName, store: this.#store, timers: this.timers, nodes: async () => this.nodes },
      memberProblems: async () => ({
        common: undefined,
        names: controlPlanes().map(({ name }) => name),
        byName: new Map(
          controlPlanes().flatMap(({ name, run, memberFailure }) => {
            const failure = memberFailure ?? (run === undefined ? 'connect ECONNREFUSED' : undefined);
            return failure === undefined ? [] : [[name, failure] as const];
          }),
        ),
      }),
      calls: {
        node: async (address) => {
          const service = this.nodes.find((node) => node.address === address)?.run?.service;
          if (service === undefined) throw new Fault('unavailable', 'does not answer');
          const call = (method: keyof TurnServiceImplementation) => (request: never, options: never) =>
            service[method](request, options as CallContext);
          const client = {
            ...{ progress: call('progress'), prepare: call('prepare') },
            ...{ begin: call('begin'), withdraw: call('withdraw') },
          };
          return { service: () => client } as unknown as NodeClient;
        },
        [Symbol.dispose]: () => {},
      },
    });
  }

  async #show(): Promise<void> {
    const plan = await this.rollouts.status(this.#stop.signal);
    if (plan === undefined) return;
    const rollout = rolloutMessage(plan);
    this.lines.push(...changeLines(this.#shown, rollout).map((line) => line.replace(rollout.id, 'ID')));
    this.#shown = rollout;
  }
}
