// A machine with its firmware, two slots and META, on which random people upgrade, restart and pull the plug. It carries out the plans, and
// checks after every single write what would become of the machine if the power failed there.
import assert from 'node:assert/strict';
import type { MachineFacts } from '../choice/machine-facts.ts';
import { type MachineStart, planStart } from '../choice/plan-start.ts';
import { planConfirm, planGiveUp, planRestart } from '../choice/plan-trial.ts';
import { planRollback, planStage, planUpgrade } from '../choice/plan-upgrade.ts';
import { metaValues, upgradeRecordFrom } from '../choice/upgrade-record.ts';
import type { UpgradePlan, UpgradeStep } from '../choice/upgrade-step.ts';
import { isSameSystem, type System } from '../loader/boot-state.ts';
import type { Slot } from '../slot/slot.ts';
import { MemoryBootLoader } from './memory-boot-loader.ts';

/**
 * `panics`: before its machined runs. `stops`: machined has run, and the machine restarts at once, by a crash or its watchdog. `never ready`:
 * machined gives it up.
 */
export const natures = ['sound', 'panics', 'stops', 'never ready'] as const;
export type Nature = (typeof natures)[number];

export type MachineEvent =
  | { readonly kind: 'upgrade' | 'stage'; readonly nature: Nature }
  | { readonly kind: 'rollback' | 'time passes' | 'power cut' }
  | { readonly kind: 'restart'; readonly canKexec: boolean }
  | { readonly kind: 'menu'; readonly slot: Slot }
  | { readonly kind: 'META is lost' | 'the choice is lost' };

/** How often something happened, so that a test can say that it did. */
export type Counts = Map<string, number>;

class PowerCut extends Error {}

export interface SimulatedMachineInit {
  readonly withoutChoice: 'first' | 'newest';
  readonly counts: Counts;
}

/** Starts in a row that end before a system stays up. The first may be a trial, the second of what was chosen by hand. */
const mostStarts = 4;

export class SimulatedMachine {
  readonly #loader: MemoryBootLoader;
  readonly #natures = new Map<string, Nature>();
  /** Root hashes of the systems that have been ready. */
  readonly #proven = new Set<string>();
  /** Those that were started without that. */
  readonly #tried = new Set<string>();
  readonly #counts: Counts;
  #meta = new Map<number, Uint8Array>();
  #isMetaLost = false;
  /** A choice that was lost is an unusual fault: until the machine has restored it, the loader may start what was not proven. */
  #isChoiceLost = false;
  #running: System | undefined;
  #mode: MachineStart['mode'] = 'confirmed';
  #loaded: Slot | undefined;
  #writesLeft = Number.POSITIVE_INFINITY;

  constructor({ withoutChoice, counts }: SimulatedMachineInit) {
    this.#counts = counts;
    this.#loader = new MemoryBootLoader({ withoutChoice, onWrite: () => this.#afterWrite() });
    const image = this.#newSystem('A', 'sound');
    this.#proven.add(image.rootHash);
    this.#install(image);
  }

  async powerOn(): Promise<void> {
    await this.#start(undefined, 'the power comes');
  }

  /** @param cut the power fails after so many writes; undefined: it does not */
  async happens(event: MachineEvent, cut: number | undefined): Promise<void> {
    this.#writesLeft = cut ?? Number.POSITIVE_INFINITY;
    try {
      await this.#carryOut(event);
    } catch (error) {
      if (!(error instanceof PowerCut)) throw error;
      this.#count('power failed between two writes');
      this.#writesLeft = Number.POSITIVE_INFINITY;
      await this.#start(undefined, 'the power comes back');
    } finally {
      this.#writesLeft = Number.POSITIVE_INFINITY;
    }
  }

  /** What is left when nothing more happens but time, and the restarts that an upgrade or a choice by hand waits for. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 6; turn += 1) {
      await this.happens({ kind: 'time passes' }, undefined);
      const facts = this.#facts();
      const isOpen =
        facts.record === 'lost' || facts.record.trial !== undefined || this.#mode !== 'confirmed';
      if (isOpen || planStart(facts).steps.length > 0)
        await this.happens({ kind: 'restart', canKexec: false }, undefined);
    }
  }

  /** The machine has one system as a whole, which is proven and is what every start has. */
  check(): void {
    const facts = this.#facts();
    const { running, boot, record } = facts;
    assert.equal(this.#mode, 'confirmed');
    assert.ok(this.#proven.has(running.rootHash), 'the running system was never ready');
    assert.ok(boot.entries.some((entry) => isSameSystem(entry, running)));
    const { next, byDefault } = this.#loader.choice();
    assert.deepEqual([next, byDefault], [running, running]);
    assert.ok(record === 'lost' || (record.trial === undefined && record.staged === undefined));
    assert.deepEqual(planStart(facts).steps, []);
  }

  async #carryOut(event: MachineEvent): Promise<void> {
    switch (event.kind) {
      case 'upgrade':
        return this.#upgrade(event.nature);
      case 'stage':
        this.#natures.set('staged', event.nature);
        if (await this.#follow(planStage(this.#facts(), { image: 'registry/installer', options: '{}' })))
          await this.#restart(false);
        return;
      case 'rollback':
        // Without a record, somebody may ask for a system that failed: nobody knows.
        if (this.#isMetaLost) this.#tried.clear();
        return void (await this.#follow(planRollback(this.#facts())));
      case 'restart':
        return this.#restart(event.canKexec);
      case 'time passes':
        return this.#timePasses();
      case 'power cut':
        return this.#start(undefined, 'the power failed');
      case 'menu':
        return this.#start(event.slot, 'somebody chose in the menu');
      case 'META is lost':
        this.#isMetaLost = true;
        return;
      case 'the choice is lost':
        // Nothing helps a machine whose loader loses its choice while a kernel that panics is tried: the trial must end first.
        if (this.#wouldPanic()) return;
        this.#loader.loseChoice();
        this.#isChoiceLost = true;
        return;
    }
  }

  #wouldPanic(): boolean {
    return this.#loader.stateNow().entries.some(({ rootHash }) => this.#natures.get(rootHash) === 'panics');
  }

  async #upgrade(nature: Nature): Promise<void> {
    const facts = this.#facts();
    const { rootHash } = this.#newSystem(facts.running.slot === 'A' ? 'B' : 'A', nature);
    const isDone = await this.#follow(planUpgrade(facts, { rootHash, missingBefore: ['quorum'] }), rootHash);
    this.#count(isDone ? `upgraded to one that is ${nature}` : 'an upgrade was refused');
  }

  async #restart(canKexec: boolean): Promise<void> {
    await this.#execute(planRestart(this.#facts(), { canKexec }));
  }

  /** A tried system becomes ready, or uses up its limit. */
  async #timePasses(): Promise<void> {
    const facts = this.#facts();
    // META may be lost since the start: nobody knows then that this is a trial.
    this.#mode = planStart(facts).mode;
    if (this.#mode !== 'trial') return;
    const isSound = this.#natures.get(facts.running.rootHash) === 'sound';
    if (isSound) this.#proven.add(facts.running.rootHash);
    const plan = isSound ? planConfirm(facts) : planGiveUp(facts, 'it was not ready');
    assert.ok(await this.#follow(plan), 'a trial can end');
    if (!isSound) return;
    this.#mode = 'confirmed';
    this.#count('a trial was confirmed');
  }

  async #follow(plan: UpgradePlan, rootHash = ''): Promise<boolean> {
    if ('refusal' in plan) {
      assert.notEqual(plan.refusal, '');
      return false;
    }
    await this.#execute(plan.steps, rootHash);
    return true;
  }

  async #execute(steps: readonly UpgradeStep[], rootHash = ''): Promise<void> {
    for (const step of steps) await this.#do(step, rootHash);
  }

  async #do(step: UpgradeStep, rootHash: string): Promise<void> {
    const part = { rootHash, kernel: Buffer.from('k'), initramfs: Buffer.from('i'), commandLine: '' };
    switch (step.kind) {
      case 'empty slot':
        assert.notEqual(step.slot, this.#running?.slot, 'the running slot is never emptied');
        assert.notEqual(step.slot, this.#loader.stateNow().default, 'the default is never emptied');
        return this.#loader.emptySlot(step.slot);
      case 'fill slot':
        return this.#loader.fillSlot(step.slot, part);
      case 'complete slot':
        return this.#loader.completeSlot(step.slot);
      case 'write record':
        for (const [key, value] of metaValues(step.record))
          if (value === undefined) this.#meta.delete(key);
          else this.#meta.set(key, value);
        this.#isMetaLost = false;
        return this.#afterWrite();
      case 'choose once':
        return this.#loader.chooseOnce(step.slot);
      case 'forget once':
        return this.#loader.revert();
      case 'set default':
        this.#isChoiceLost = false;
        return this.#loader.confirm(step.slot);
      case 'load kernel':
        await this.#loader.loadForKexec(step.slot);
        this.#loaded = step.slot;
        return;
      case 'restart':
        if (step.by === 'firmware') return this.#start(undefined, 'a restart');
        return this.#run(this.#systemIn(this.#loaded), 'a restart by kexec');
    }
  }

  async #start(byHand: Slot | undefined, why: string): Promise<void> {
    const system = this.#loader.start(byHand);
    return this.#run(system, why, system?.slot === byHand);
  }

  async #run(first: System | undefined, why: string, isByHand = false): Promise<void> {
    let system = first;
    for (let starts = 0; starts < mostStarts; starts += 1) {
      assert.ok(system, `nothing starts after ${why}`);
      if (!isByHand || starts > 0) this.#try(system);
      this.#running = system;
      this.#loaded = undefined;
      const nature = this.#natures.get(system.rootHash);
      if (nature !== 'panics') {
        const start = planStart(this.#facts());
        this.#mode = start.mode;
        this.#count(`a start: ${start.mode}`);
        // A restart in these steps ends in another start.
        const isRestarting = start.steps.at(-1)?.kind === 'restart';
        await this.#execute(start.steps);
        if (isRestarting) return;
        if (nature !== 'stops') return start.staged === undefined ? undefined : this.#beginStaged();
      }
      this.#count('a system stopped by itself');
      system = this.#loader.start();
    }
    assert.fail(`no system stays up after ${why}`);
  }

  /** A system that did not come up is not tried again: the start after it has the confirmed one. */
  #try({ rootHash }: System): void {
    if (this.#proven.has(rootHash) || this.#isChoiceLost) return;
    assert.ok(!this.#tried.has(rootHash), 'a system is tried a second time');
    this.#tried.add(rootHash);
  }

  async #beginStaged(): Promise<void> {
    this.#count('a staged upgrade began');
    await this.#upgrade(this.#natures.get('staged') ?? 'sound');
    await this.#restart(false);
  }

  #facts(): MachineFacts {
    assert.ok(this.#running, 'the machine is on');
    return {
      running: this.#running,
      boot: this.#loader.stateNow(),
      record: upgradeRecordFrom(this.#isMetaLost ? undefined : this.#meta),
    };
  }

  #systemIn(slot: Slot | undefined): System | undefined {
    return this.#loader.stateNow().entries.find((entry) => entry.slot === slot);
  }

  #newSystem(slot: Slot, nature: Nature): System {
    const rootHash = this.#natures.size.toString(16).padStart(64, '0');
    this.#natures.set(rootHash, nature);
    return { slot, rootHash };
  }

  #install({ slot, rootHash }: System): void {
    this.#loader.fillSlot(slot, {
      ...{ rootHash, kernel: Buffer.from('k'), initramfs: Buffer.from('i'), commandLine: '' },
    });
    this.#loader.completeSlot(slot);
  }

  /** If the power failed here, the machine would start a whole system, and a proven one if that does not come up. */
  #afterWrite(): void {
    // The build of the image writes before the machine is on.
    if (this.#running === undefined) return;
    const { next, byDefault } = this.#loader.choice();
    assert.ok(next !== undefined && byDefault !== undefined, 'a power cut here would leave nothing to start');
    if (!this.#isChoiceLost)
      assert.ok(this.#proven.has(byDefault.rootHash), 'a power cut here would leave an unconfirmed default');
    if (this.#writesLeft === 0) throw new PowerCut();
    this.#writesLeft -= 1;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
