// The plan of a node over a machine, an etcd and a disk in memory. What is `world` survives a restart of machined; a rig is one run of it.
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { MemoryState, pointerTo, putResource, type State } from '@nodewright/state';
import {
  machineStatuses,
  nodenames,
  nodeStatuses,
  type UpgradeStatusSpec,
  upgradeStatuses,
} from '@nodewright/state/kinds';
import type { SystemRequest, Upgrades } from '../../upgrade/domain/upgrades.ts';
import type { NodePlan } from '../domain/node-plan.ts';
import { NodePlans, type NodePlansInit, type StepReport } from '../host/node-plans.ts';
import type { HeldTurn, NodeTurns } from '../host/node-turn.ts';
import { PlanHolder } from '../host/plan-holder.ts';

/** The queue of the turn in an etcd that several nodes share. */
export class MemoryTurns {
  /** The values of the keys, the holder first. */
  readonly queue: string[] = [];
  /** Why etcd does not answer. */
  failure: Fault | undefined;

  of(host: string): NodeTurns {
    const held = (value: string): HeldTurn => ({
      isHeld: () => this.queue[0] === value,
      give: async () => this.drop(value),
      leave: async () => {},
    });
    return {
      take: async (plan, waits, signal) => {
        if (this.failure !== undefined) throw this.failure;
        const value = `${host} ${plan}`;
        for (const other of [...this.queue])
          if (other.startsWith(`${host} `) && other !== value) this.drop(other);
        this.queue.push(value);
        let last: string | undefined;
        while (this.queue[0] !== value) {
          const [holder = ''] = (this.queue[0] ?? '').split(' ');
          if (holder !== last) waits(holder);
          last = holder;
          await turnOfLoop();
          if (!signal.aborted) continue;
          this.drop(value);
          signal.throwIfAborted();
        }
        return held(value);
      },
      adopt: async (plan) => {
        if (this.failure !== undefined) throw this.failure;
        const value = `${host} ${plan}`;
        if (this.queue[0] === value) return held(value);
        this.drop(value);
        return undefined;
      },
    };
  }

  /** Ends a turn, as the end of its lease does. */
  drop(value: string): void {
    const index = this.queue.indexOf(value);
    if (index !== -1) this.queue.splice(index, 1);
  }
}

/** What becomes of a system that is tried. */
export type Fate = 'kept' | 'lost' | 'never ready';

const confirmed = (slot: string): UpgradeStatusSpec => ({
  ...{ slot, mode: 'confirmed', trial: '', reason: '' },
  ...{ previous: '', failed: '', staged: '', paused: false },
});

/** A machine with two slots: what a loss of power leaves. */
export class TestMachine {
  readonly turns: MemoryTurns;
  readonly name: string;
  /** The record. */
  text: string | undefined;
  isCordoned = false;
  isReady = true;
  status: UpgradeStatusSpec = confirmed('A');
  fate: Fate = 'kept';
  /** How often a new system was written, drained, started. */
  readonly counts = { writes: 0, drains: 0, starts: 0 };

  constructor(name = 'node01', turns = new MemoryTurns()) {
    this.name = name;
    this.turns = turns;
  }

  /** A start of the machine: it tries what was armed. */
  start(): void {
    this.counts.starts += 1;
    const { slot, trial, mode } = this.status;
    if (mode === 'trial') {
      // A start during a trial is one of the system before.
      this.#goBack(slot, 'the machine restarted during its trial');
      return;
    }
    if (trial === '' || trial === slot) return;
    this.status = { ...this.status, slot: trial, mode: 'trial', reason: 'the node is not ready' };
    if (this.fate === 'lost') this.#goBack(trial, 'etcd did not start');
  }

  disarm(): void {
    if (this.status.mode !== 'trial') this.status = { ...this.status, trial: '' };
  }

  drained(): void {
    this.counts.drains += 1;
  }

  /** Ends the trial. */
  confirm(): void {
    if (this.status.mode === 'trial' && this.fate === 'kept') this.status = confirmed(this.status.slot);
  }

  #goBack(tried: string, reason: string): void {
    this.status = { ...confirmed(tried === 'A' ? 'B' : 'A'), failed: tried, reason };
  }
}

export interface TestPlansInit {
  readonly machine?: TestMachine;
  readonly change?: Partial<NodePlansInit>;
  /** Has a kubelet. */
  readonly hasKubelet?: boolean;
  /** Aborts at a loss of power. */
  readonly stop?: AbortController;
}

export interface TestPlans {
  readonly plans: NodePlans;
  readonly machine: TestMachine;
  readonly timers: FakeTimers;
  readonly reports: StepReport[];
  readonly holder: PlanHolder;
  readonly state: State;
  /** The sequences that have ended with the end of the machine. */
  readonly ends: string[];
  /** The run of machined ends: SIGTERM, or a loss of power. */
  readonly stop: AbortController;
  /** Lets time pass until the condition holds, at most an hour. @returns whether it does */
  until(condition: () => boolean): Promise<boolean>;
  /** What the machine shows now. */
  sync(): Promise<void>;
}

export async function openTestPlans(init: TestPlansInit = {}): Promise<TestPlans> {
  const { machine = new TestMachine(), change = {}, hasKubelet = true, stop = new AbortController() } = init;
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const timers = new FakeTimers(0);
  const holder = new PlanHolder();
  const reports: StepReport[] = [];
  const ends: string[] = [];
  const sync = async () => {
    machine.confirm();
    const { plan } = holder.current();
    const isRunning = plan !== undefined && plan !== 'unknown' && plan.phase === 'running';
    const takesNoPods = isRunning && plan.kind === 'upgrade' && !/^(quorum|turn|uncordon)$/.test(plan.step);
    if (plan !== 'unknown') machine.isCordoned = takesNoPods;
    await putResource(state, { ...pointerTo(upgradeStatuses), spec: machine.status });
    await putResource(state, {
      ...pointerTo(machineStatuses),
      spec: { stage: 'running', status: { ready: machine.isReady, unmetConditions: [] } },
    });
    if (!hasKubelet) return;
    const { name } = machine;
    const own = { nodename: name, hostnameVersion: '1', skipNodeRegistration: false };
    await putResource(state, { ...pointerTo(nodenames), spec: own });
    await putResource(state, {
      ...pointerTo(nodeStatuses, name),
      spec: {
        ...{ nodename: name, nodeReady: true, unschedulable: machine.isCordoned },
        ...{ labels: {}, annotations: {}, podCIDRs: [] },
      },
    });
  };
  const upgrades: Pick<Upgrades, 'upgrade' | 'disarm'> = {
    disarm: async () => machine.disarm(),
    async upgrade(_request: SystemRequest, report) {
      report('writing');
      machine.counts.writes += 1;
      const trial = machine.status.slot === 'A' ? 'B' : 'A';
      machine.status = { ...machine.status, trial };
    },
  };
  const plans = new NodePlans({
    ...{ upgrades, holder, state, timers },
    turns: machine.turns.of(machine.name),
    isMember: async () => true,
    assertMayUpgrade: async () => {},
    drain: hasKubelet ? async () => machine.drained() : undefined,
    file: {
      read: async () => machine.text,
      async write(text) {
        if (stop.signal.aborted) throw new Fault('aborted', 'the machine has no power');
        machine.text = text;
      },
    },
    report: (report) => void reports.push(report),
    randomId: () => '0'.repeat(31) + (machine.counts.starts % 10),
    log: { info: () => {}, warn: () => {}, error: () => {} },
    ...change,
  });
  plans.setSequences({
    async upgrade(kind: NodePlan['restart'], _actorId, work) {
      try {
        await work(stop.signal);
      } catch {
        return;
      }
      if (!stop.signal.aborted) ends.push(kind);
    },
    restart: async (kind) => void ends.push(`again ${kind}`),
  });
  await sync();
  return {
    ...{ plans, machine, timers, reports, holder, state, ends, stop, sync },
    async until(condition) {
      for (let round = 0; round < 7200; round += 1) {
        if (condition()) return true;
        await sync();
        timers.step(timers.now() + 500);
        await turnOfLoop();
      }
      return condition();
    },
  };
}

/** A place for another upgrade that is always free. */
export const freeNode = (): Disposable => ({ [Symbol.dispose]: () => {} });
