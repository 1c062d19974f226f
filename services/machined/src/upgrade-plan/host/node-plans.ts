// Carries out the plan of this node: each step is on the disk before it begins, so a machined that starts goes on at the same one.
import { pauseBy } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo, type State } from '@nodewright/state';
import { machineStatuses, nodenames, nodeStatuses, upgradeStatuses } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { specOf } from '../../base/resources/spec-of.ts';
import type { Upgrades } from '../../upgrade/domain/upgrades.ts';
import { isBeforeReboot, type NodePlan, nodePlanLimits, shortReason, stepsOf } from '../domain/node-plan.ts';
import { nodePlanFrom, nodePlanToText } from '../domain/node-plan-text.ts';
import { armedSlot, type TriedSystem, triedSystem } from '../domain/tried-system.ts';
import type { PlanHolder } from './plan-holder.ts';
import { PlanTurn, type PlanTurnInit, retryMs } from './plan-turn.ts';

/** The file of the record. */
export interface PlanFile {
  /** `undefined` when there is none. @throws Fault when it cannot be read */
  read(): Promise<string | undefined>;
  /** Replaces it, so that the old or the new text survives a loss of power. @throws Fault */
  write(text: string): Promise<void>;
}

/** The sequences that a plan begins. Each resolves when it is over, whatever its result. */
export interface PlanSequences {
  upgrade(
    kind: NodePlan['restart'],
    actorId: string,
    work: (signal: AbortSignal) => Promise<void>,
  ): Promise<void>;
  /** Restarts the node without another turn. */
  restart(kind: NodePlan['restart'], actorId: string): Promise<void>;
}

/** What a step does, for people and programs that follow it. */
export interface StepReport {
  readonly step: string;
  readonly state: 'running' | 'waiting' | 'finished' | 'failed';
  readonly reason: string;
  readonly actorId: string;
}

export interface NodePlansInit extends Omit<PlanTurnInit, 'waits' | 'runs' | 'log'> {
  readonly upgrades: Pick<Upgrades, 'upgrade' | 'disarm'>;
  /** Drains the Kubernetes node, within a limit of its own; undefined on a node without a kubelet. @throws Fault */
  readonly drain: ((signal: AbortSignal) => Promise<void>) | undefined;
  readonly file: PlanFile;
  readonly holder: PlanHolder;
  readonly state: State;
  /** Called at each step, and with what it waits for. */
  readonly report: (report: StepReport) => void;
  /** 32 random hexadecimal digits. */
  readonly randomId: () => string;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** An upgrade as it is asked for. */
export type WantedPlan = Pick<
  NodePlan,
  'image' | 'allowsDowngrade' | 'dropsExtensions' | 'ignoresEtcd' | 'restart' | 'actorId'
> &
  /** Default: a random one. */
  Partial<Pick<NodePlan, 'id'>>;

const disarmAttempts = 6;
/** How long the cordon and its end may take to be seen, in ms. */
const cordonLimitMs = 60_000;
const pollMs = 1_000;
/** How long a machine that was told to restart may take to go down, in ms: services have three minutes for it. */
export const downLimitMs = 300_000;
/** The status of the new system follows its write at once. */
const slotLimitMs = 30_000;
/**
 * How long a node may be not ready with a new system that is kept, or not know its systems, in ms. The turn of a node that is away
 * lasts as long.
 */
export const followLimitMs = 900_000;

export class NodePlans {
  readonly #init: NodePlansInit;
  readonly #turn: PlanTurn;
  #sequences: PlanSequences | undefined;
  #isBeginning = false;
  /** Since when the new system is one whose trial does not end it, on the monotonic clock; `undefined` while it is not. */
  #endlessSinceMs: number | undefined;
  /** Aborts when the node stops. It is known once the record is read, before which nothing begins. */
  #stopped = new AbortController().signal;
  /** Keeps other upgrades of this node away until it is disposed of. */
  #takeNode: () => Disposable = () => ({ [Symbol.dispose]() {} });

  constructor(init: NodePlansInit) {
    this.#init = init;
    this.#turn = new PlanTurn({
      ...init,
      waits: (reason) => this.#waits(reason),
      runs: () => this.#runs(),
    });
  }

  /** The sequences of the node, which are opened later. */
  setSequences(sequences: PlanSequences): void {
    this.#sequences = sequences;
  }

  /** The plan that runs; `undefined` when none does. */
  get running(): NodePlan | undefined {
    const { plan } = this.#init.holder.current();
    return plan !== undefined && plan !== 'unknown' && plan.phase === 'running' ? plan : undefined;
  }

  /**
   * Begins an upgrade of this node. It goes on when the caller leaves.
   *
   * @returns its id, and a promise of the end of what happens before the machine goes down; it never rejects
   * @throws Fault `failed-precondition` with the reason and what to do when it is not safe, or another one runs
   */
  async begin(
    wanted: WantedPlan,
    signal: AbortSignal,
  ): Promise<{ readonly id: string; readonly over: Promise<void> }> {
    this.#assertIdle();
    // Set before anything is waited for, so that of calls at the same time one begins.
    this.#isBeginning = true;
    this.#turn.forget();
    try {
      if (!wanted.ignoresEtcd && (await this.#init.isMember())) await this.#init.assertMayUpgrade(signal);
      const slotBefore = (await this.#status())?.slot ?? '';
      signal.throwIfAborted();
      const plan: NodePlan = {
        ...{ id: this.#init.randomId(), kind: 'upgrade', ...wanted },
        ...{ phase: 'running', step: 'turn', reason: '', slotBefore, slot: '', restarts: 0 },
      };
      await this.#save(plan);
      this.#say('running', '');
      return { id: plan.id, over: this.#prepareInSequence(plan) };
    } finally {
      this.#isBeginning = false;
    }
  }

  /**
   * To be called before a restart that a client has asked for: when it starts a trial, it takes the turn.
   *
   * @throws Fault `deadline-exceeded`, with the name of the holder, when another node has the turn for five minutes; `failed-precondition`
   * while an upgrade begins; the reason of the signal
   */
  async beforeReboot(actorId: string, signal: AbortSignal): Promise<void> {
    const status = await this.#status();
    const slot = armedSlot(status);
    if (slot === undefined || !(await this.#init.isMember()) || this.running !== undefined) return;
    // Each of the two would write its record over the other's, and go on without a turn.
    if (this.#isBeginning)
      throw new Fault(
        'failed-precondition',
        'an upgrade of this node begins, which restarts it: follow it with talosctl get nodeupgradesteps',
      );
    this.#isBeginning = true;
    this.#turn.forget();
    try {
      await this.#save({
        ...{ id: this.#init.randomId(), kind: 'restart', image: '', ignoresEtcd: true },
        ...{ allowsDowngrade: false, dropsExtensions: false, restart: 'graceful', actorId },
        ...{ phase: 'running', step: 'turn', reason: '', slotBefore: status?.slot ?? '', slot, restarts: 0 },
      });
    } finally {
      this.#isBeginning = false;
    }
    try {
      await this.#takeTurn(signal);
      await this.#enter('reboot');
      this.#followWhenNotDown();
    } catch (error) {
      await this.#fail(signal.aborted ? 'the restart was cancelled' : faultFrom(error).message);
      throw error;
    }
  }

  /**
   * Reads the record and goes on with what it says. It resolves when there is nothing to do any more.
   *
   * @param takeNode keeps other upgrades of this node away until it is disposed of. @throws Fault while another one runs
   */
  async resume(takeNode: () => Disposable, signal: AbortSignal): Promise<void> {
    this.#stopped = signal;
    this.#takeNode = takeNode;
    await this.#load();
    const { plan: known } = this.#init.holder.current();
    // The run before this one may have ended before it could give the turn back.
    if (known !== undefined && known !== 'unknown' && known.phase === 'failed')
      this.#turn.return(known.id, signal);
    await this.#goOnUntilOver(signal);
    await this.#turn.returned;
  }

  async #goOnUntilOver(signal: AbortSignal): Promise<void> {
    const plan = this.running;
    if (plan === undefined) return;
    this.#init.log.info({ plan: plan.id, step: plan.step }, 'the upgrade of this node goes on');
    while (!signal.aborted)
      try {
        return await this.#goOn(signal);
      } catch (error) {
        if (signal.aborted) break;
        // The disk may be full or fail for a moment. Until the plan ends, it keeps the turn and the cordon.
        this.#waits(`the upgrade to go on: ${faultFrom(error).message}`);
        await pauseBy(this.#init.timers, retryMs, signal);
      }
    await this.#turn.leave();
  }

  /** Goes on with the plan as it is known. @throws Fault when the record cannot be written */
  async #goOn(signal: AbortSignal): Promise<void> {
    const plan = this.running;
    if (plan === undefined) return;
    if (isBeforeReboot(plan.step)) {
      if (plan.kind === 'upgrade') return await this.#prepareAgain(plan, signal);
      // The next start tries the system in any case, also one after a loss of power.
      await this.#enter('reboot');
    }
    await this.#follow(signal);
  }

  #assertIdle(): void {
    const { plan } = this.#init.holder.current();
    if (plan === 'unknown')
      throw new Fault('failed-precondition', 'the disk of this node is not mounted yet: try again later');
    if (plan?.phase !== 'running' && !this.#isBeginning) return;
    const step = plan?.phase === 'running' ? plan.step : 'quorum';
    throw new Fault(
      'failed-precondition',
      `an upgrade of this node runs already, and is at the step ${step}: follow it with talosctl get nodeupgradesteps`,
    );
  }

  /** Goes on before the restart, once the node runs. */
  async #prepareAgain(plan: NodePlan, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const machine = await specOf(this.#init.state, pointerTo(machineStatuses));
      const status = await this.#status();
      const isKnown = status !== undefined && status.mode !== '';
      if (isKnown && status.slot !== plan.slotBefore) {
        if (plan.step !== 'write' || plan.slotBefore === '')
          return await this.#fail('another system was started');
        // The power has failed between the write of the system and the record of it.
        await this.#save({ ...plan, step: 'reboot', slot: status.slot });
        return await this.#follow(signal);
      }
      if (machine?.stage === 'running' && isKnown) {
        try {
          using _node = this.#takeNode();
          await this.#prepareInSequence(plan);
          return;
        } catch (error) {
          this.#waits(faultFrom(error).message);
        }
      } else this.#waits('the node to start');
      await pauseBy(this.#init.timers, retryMs, signal);
    }
  }

  /** Never rejects. */
  async #prepareInSequence(plan: NodePlan): Promise<void> {
    let hasBegun = false;
    await this.#sequences?.upgrade(plan.restart, plan.actorId, async (signal) => {
      hasBegun = true;
      await this.#prepare(signal);
    });
    if (!hasBegun) await this.#fail('it was not started, because the node does something else: try again');
    this.#followWhenNotDown();
  }

  /** The machine goes down now, and the next start follows the plan. When it does not go down, nobody else would. */
  #followWhenNotDown(): void {
    const { id, step } = this.running ?? {};
    if (step !== 'reboot') return;
    const signal = this.#stopped;
    const follow = async () => {
      await pauseBy(this.#init.timers, downLimitMs, signal);
      // A later plan has a follower of its own.
      if (signal.aborted || this.running?.id !== id || this.running?.step !== 'reboot') return;
      await this.#goOnUntilOver(signal);
    };
    follow().catch((error: unknown) =>
      this.#init.log.error(
        { error: faultFrom(error).message },
        'the upgrade of this node cannot be followed',
      ),
    );
  }

  /** The steps until the machine goes down. */
  async #prepare(signal: AbortSignal): Promise<void> {
    try {
      for (let plan = this.running; plan !== undefined && isBeforeReboot(plan.step); plan = this.running) {
        if (plan.step !== 'turn') await this.#turn.hold(plan, signal);
        await this.#act(plan, signal);
        signal.throwIfAborted();
        // The write takes long. The system is written already, so a lost turn is worth another wait.
        if (plan.step === 'write') await this.#turn.hold(plan, signal);
        await this.#enter(stepAfter(plan));
      }
    } catch (error) {
      // A node that stops, or is shut down, goes on when it starts again.
      if (signal.aborted) await this.#turn.leave();
      else await this.#fail(faultFrom(error).message);
      throw error;
    }
  }

  async #act(plan: NodePlan, signal: AbortSignal): Promise<void> {
    const { upgrades, drain, assertMayUpgrade, isMember, log } = this.#init;
    switch (plan.step) {
      case 'quorum':
        if (!plan.ignoresEtcd && (await isMember())) await assertMayUpgrade(signal);
        return;
      case 'turn':
        await this.#takeTurn(signal);
        return;
      case 'cordon':
        if (drain !== undefined) await this.#awaitCordon(true, signal);
        return;
      case 'drain':
        await drain?.(signal);
        return;
      case 'write': {
        const { image, allowsDowngrade, dropsExtensions } = plan;
        const wanted = { image, allowsDowngrade, dropsExtensions, extensionSet: undefined };
        await upgrades.upgrade(wanted, (line) => log.info({ line }, 'upgrade'));
        await this.#save({ ...plan, slot: await this.#awaitSlot(signal) });
        return;
      }
      default:
        throw new Fault('internal', `${plan.step} is no step before the restart`);
    }
  }

  async #takeTurn(signal: AbortSignal): Promise<void> {
    const plan = this.running;
    if (plan !== undefined) await this.#turn.take(plan, signal);
  }

  /** The step waits for nothing any more. */
  #runs(): void {
    if (this.#init.holder.current().waitsFor !== '') this.#say('running', '');
  }

  /** Waits until Kubernetes shows the cordon, or its end. A node that is not registered has none. */
  async #awaitCordon(isCordoned: boolean, signal: AbortSignal): Promise<boolean> {
    const { state, timers } = this.#init;
    const own = await specOf(state, pointerTo(nodenames));
    if (own === undefined || own.skipNodeRegistration) return true;
    const endMs = timers.monotonicMs() + cordonLimitMs;
    while (timers.monotonicMs() < endMs) {
      const node = await specOf(state, pointerTo(nodeStatuses, own.nodename));
      if (node === undefined || node.unschedulable === isCordoned) return true;
      this.#waits(`node ${own.nodename} to be ${isCordoned ? 'cordoned' : 'uncordoned'}`);
      await pauseBy(timers, pollMs, signal);
      signal.throwIfAborted();
    }
    if (!isCordoned) return false;
    throw new Fault(
      'deadline-exceeded',
      `node ${own.nodename} is not cordoned after ${cordonLimitMs / 1000} s`,
    );
  }

  /** The slot of the system that was just written. */
  async #awaitSlot(signal: AbortSignal): Promise<string> {
    const { timers } = this.#init;
    const endMs = timers.monotonicMs() + slotLimitMs;
    while (timers.monotonicMs() < endMs) {
      const slot = armedSlot(await this.#status());
      if (slot !== undefined) return slot;
      await pauseBy(timers, pollMs, signal);
      signal.throwIfAborted();
    }
    throw new Fault('internal', 'the next start does not try the system that was written');
  }

  /** Follows the new system until it is kept or lost. */
  async #follow(signal: AbortSignal): Promise<void> {
    const { timers, state } = this.#init;
    for (let plan = this.running; plan !== undefined && !signal.aborted; plan = this.running) {
      await this.#turn.adopt(plan, signal);
      const machine = await specOf(state, pointerTo(machineStatuses));
      const tried = triedSystem(plan.slot, await this.#status(), machine);
      if (tried.kind === 'lost') return await this.#fail(tried.reason);
      if (tried.kind === 'kept') return await this.#finish(signal);
      if (tried.kind === 'armed') {
        await this.#restartAgain(plan, signal);
        continue;
      }
      if (this.#isEndless(tried.kind)) return await this.#fail(endlessReason(tried));
      if (tried.kind !== 'unknown' && !['confirm', 'uncordon'].includes(plan.step))
        await this.#enter('confirm');
      const reason = tried.kind === 'not ready' ? 'the node is not ready' : tried.reason;
      this.#waits(reason);
      await pauseBy(timers, pollMs, signal);
    }
    await this.#turn.leave();
  }

  /** Whether a state that only a person may end has lasted too long: a trial has a limit of its own. */
  #isEndless(kind: TriedSystem['kind']): boolean {
    const nowMs = this.#init.timers.monotonicMs();
    const isCounted = kind === 'unknown' || kind === 'not ready';
    this.#endlessSinceMs = isCounted ? (this.#endlessSinceMs ?? nowMs) : undefined;
    return this.#endlessSinceMs !== undefined && nowMs - this.#endlessSinceMs >= followLimitMs;
  }

  /** The machine was told to restart, and has not. */
  async #restartAgain(plan: NodePlan, signal: AbortSignal): Promise<void> {
    if (plan.kind === 'restart')
      return await this.#fail('the restart did not happen: restart the node to try the new system');
    if (plan.restarts >= nodePlanLimits.restarts)
      return await this.#fail(`it was restarted ${plan.restarts} times, and the system before runs`);
    await this.#save({ ...plan, step: 'reboot', restarts: plan.restarts + 1 });
    this.#waits('the node to restart');
    await this.#turn.leave();
    if (signal.aborted) return;
    await this.#sequences?.restart(plan.restart, plan.actorId);
    await pauseBy(this.#init.timers, downLimitMs, signal);
  }

  async #finish(signal: AbortSignal): Promise<void> {
    const plan = this.running;
    if (plan?.kind === 'upgrade') {
      await this.#enter('uncordon');
      if (this.#init.drain !== undefined && !(await this.#awaitCordon(false, signal)))
        this.#init.log.warn({ plan: plan.id }, 'Kubernetes does not show that the node is uncordoned');
    }
    await this.#turn.give();
    const last = this.running;
    if (last === undefined) return;
    await this.#save({ ...last, phase: 'done' });
    this.#say('finished', '');
    this.#init.log.info({ plan: last.id }, 'the upgrade of this node is done');
  }

  async #fail(why: string): Promise<void> {
    const plan = this.running;
    if (plan === undefined) return;
    // Otherwise the next crash of this machine would start the new system, without a turn.
    const problem = await this.#disarm(plan);
    const left = problem === undefined ? '' : `; the next start may try the new system: ${problem}`;
    const failed: NodePlan = { ...plan, phase: 'failed', reason: shortReason(`${why}${left}`) };
    await this.#save(failed).catch((error: unknown) => {
      this.#init.log.error({ error: faultFrom(error).message }, 'the end of an upgrade cannot be recorded');
      this.#init.holder.set({ plan: failed, waitsFor: '' });
    });
    this.#say('failed', failed.reason);
    this.#init.log.warn({ plan: plan.id, step: plan.step, reason: failed.reason }, 'the upgrade has failed');
    await this.#turn.giveOfFailed(plan, this.#stopped);
  }

  /**
   * Lets the next start have the system that runs, when this plan may have written another one. The client of a restart has armed it before.
   *
   * @returns why that failed
   */
  async #disarm({ kind, step }: NodePlan): Promise<string | undefined> {
    const { upgrades, timers } = this.#init;
    // What was armed before this plan wrote anything is not its own.
    if (kind === 'restart' || (isBeforeReboot(step) && step !== 'write')) return undefined;
    if (step !== 'write' && armedSlot(await this.#status()) === undefined) return undefined;
    for (let attempt = 1; ; attempt += 1)
      try {
        await upgrades.disarm();
        return undefined;
      } catch (error) {
        // The disk may fail for a moment, and the machine may be busy with old images.
        if (attempt === disarmAttempts || this.#stopped.aborted) return faultFrom(error).message;
        await pauseBy(timers, retryMs, this.#stopped);
      }
  }

  async #enter(step: NodePlan['step']): Promise<void> {
    const plan = this.running;
    if (plan === undefined || plan.step === step) return;
    await this.#save({ ...plan, step });
    this.#say('running', '');
  }

  #waits(reason: string): void {
    const { holder } = this.#init;
    const { plan, waitsFor } = holder.current();
    const text = shortReason(reason);
    if (waitsFor === text) return;
    holder.set({ plan, waitsFor: text });
    this.#say('waiting', text);
  }

  /** Reports the step of the plan. */
  #say(state: StepReport['state'], reason: string): void {
    const { plan, waitsFor } = this.#init.holder.current();
    if (plan === undefined || plan === 'unknown') return;
    if (state === 'running' && waitsFor !== '') this.#init.holder.set({ plan, waitsFor: '' });
    this.#init.report({ step: plan.step, state, reason, actorId: plan.actorId });
  }

  async #save(plan: NodePlan): Promise<void> {
    await this.#init.file.write(nodePlanToText(plan));
    this.#init.holder.set({ plan, waitsFor: '' });
  }

  async #load(): Promise<void> {
    const { file, holder, log } = this.#init;
    let plan: NodePlan | undefined;
    try {
      const text = await file.read();
      plan = text === undefined ? undefined : nodePlanFrom(text);
      if (text !== undefined && plan === undefined)
        log.error({}, 'the record of the last upgrade is not valid, and is not used');
    } catch (error) {
      log.error({ error: faultFrom(error).message }, 'the record of the last upgrade cannot be read');
    }
    holder.set({ plan, waitsFor: '' });
  }

  #status() {
    return specOf(this.#init.state, pointerTo(upgradeStatuses));
  }
}

function stepAfter(plan: NodePlan): NodePlan['step'] {
  const steps = stepsOf(plan);
  return steps[steps.indexOf(plan.step) + 1] ?? plan.step;
}

function endlessReason(tried: TriedSystem): string {
  const minutes = followLimitMs / 60_000;
  if (tried.kind === 'not ready')
    return `the new system is kept, and the node is not ready after ${minutes} minutes`;
  const reason = 'reason' in tried ? `: ${tried.reason}` : '';
  return `it is not known after ${minutes} minutes what became of the new system${reason}`;
}
