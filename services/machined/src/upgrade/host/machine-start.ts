import { pauseBy, type Timers } from '@nodewright/async';
import type { MachineStart, Slot, TrialObservation } from '@nodewright/boot';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import type { MachineUpgrades } from './machine-upgrades.ts';
import { watchTrial } from './trial.ts';
import type { UpgradeStateHolder } from './upgrade-state.ts';
import type { Watchdog } from './watchdog.ts';

export interface MachineStartInit {
  /** The slot that runs. */
  readonly slot: Slot;
  /** Whether META says that the running system is tried, and that it has not run yet. */
  readonly isTried: () => boolean;
  readonly machine: Pick<
    MachineUpgrades,
    'start' | 'upgradeStaged' | 'confirm' | 'giveUp' | 'recordFailure' | 'trial'
  >;
  /** Removes the mark that the slot is tried; undefined when it has none. A confirmation whose last step failed leaves one. */
  readonly unmark?: (() => Promise<void>) | undefined;
  readonly watchdog: Watchdog;
  readonly holder: UpgradeStateHolder;
  readonly observe: () => Promise<Omit<TrialObservation, 'nowMs'>>;
  /** Called when this start has confirmed a tried system. */
  readonly onConfirmed?: () => void;
  readonly publish: (event: NodeEvent) => void;
  readonly restart: (how: 'planned' | 'firmware') => void;
  readonly timers: Timers;
  /** Aborts when the node stops. */
  readonly signal: AbortSignal;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** What a start of the machine does about its systems. Nothing of it rejects. */
export interface MachineStartSteps {
  /**
   * Puts in order what came before this start; to be called once, before services start.
   *
   * @returns whether the machine restarts at once
   */
  begin(): Promise<boolean>;
  /** Begins with a staged upgrade. @returns whether the machine restarts at once */
  upgradeStaged(): Promise<boolean>;
  /** Watches the trial of this start, if it is one, until it ends or the node stops. */
  settle(): Promise<void>;
}

/** The disk may fail for a moment. */
const confirmAttempts = 6;
const confirmPauseMs = 10_000;
/** A registry may be out of reach until the network and the clock are up, and a volume may not be mounted yet. */
const stagedAttempts = 20;
const stagedPauseMs = 15_000;

export function createMachineStart(init: MachineStartInit): MachineStartSteps {
  const { slot, isTried, machine, watchdog, holder, observe, publish, restart, timers, signal, log } = init;
  let mode: MachineStart['mode'] | undefined;
  let staged: MachineStart['staged'];

  /** For people: in the log, on the console with it, and among the events. */
  const announce = (message: string) => {
    log.warn({ slot, message }, 'upgrade');
    publish({ kind: 'sequence-failed', sequence: 'upgrade', error: { code: 'cancelled', message } });
  };

  async function unmark(): Promise<void> {
    try {
      await init.unmark?.();
    } catch (error) {
      log.warn({ error: faultFrom(error).message }, 'the mark of the trial is left');
    }
  }

  /** For the system that is started instead, which knows only that this one has ended. */
  async function recordFailure(reason: string): Promise<void> {
    try {
      await machine.recordFailure(reason);
    } catch (error) {
      log.error({ error: faultFrom(error).message }, 'the end of the trial cannot be recorded');
    }
  }

  async function giveUp(reason: string): Promise<void> {
    announce(`slot ${slot} is given up: ${reason}`);
    try {
      await machine.giveUp(reason);
    } catch (error) {
      log.error({ error: faultFrom(error).message }, 'the end of the trial cannot be recorded');
      // The default is the way back already, so the firmware goes there without a record, too.
      restart('firmware');
    }
  }

  /** @returns why it failed; undefined when the system is confirmed */
  async function confirm(): Promise<string | undefined> {
    try {
      await machine.confirm();
    } catch (error) {
      const { message } = faultFrom(error);
      log.error({ error: message }, 'the new system cannot be confirmed');
      return message;
    }
    watchdog.stop();
    mode = 'confirmed';
    holder.change({ mode, verdict: undefined });
    log.info({ slot }, 'the new system is confirmed');
    init.onConfirmed?.();
    return undefined;
  }

  return {
    async begin() {
      try {
        const start = await machine.start();
        ({ mode, staged } = start);
        holder.change({ mode });
        // A client that follows the restart that begins a trial takes an event for the failure of the upgrade.
        for (const notice of start.notices)
          if (mode === 'trial') log.warn({ slot, message: notice }, 'upgrade');
          else announce(notice);
        if (start.restarts) restart('firmware');
        else if (mode === 'trial') watchdog.trialBegins();
        else {
          if (mode === 'confirmed') await unmark();
          watchdog.stop();
        }
        return start.restarts;
      } catch (error) {
        const { message } = faultFrom(error);
        log.error({ error: message }, 'the systems on the disk cannot be read');
        holder.change({ problem: message });
        // A tried system that cannot read its disk would never be confirmed.
        const restarts = isTried();
        if (restarts) {
          await recordFailure(`its slots cannot be read: ${message}`);
          restart('firmware');
        }
        return restarts;
      }
    },
    async upgradeStaged() {
      if (staged === undefined) return false;
      const report = (line: string) => log.info({ line }, 'staged upgrade');
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        try {
          await machine.upgradeStaged(staged, report);
          return true;
        } catch (error) {
          const { kind, message } = faultFrom(error);
          if (kind !== 'unavailable' || attempt === stagedAttempts) {
            announce(`the staged upgrade to ${staged.image} has failed: ${message}`);
            return false;
          }
          log.warn({ error: message }, 'the staged upgrade is tried again');
          await pauseBy(timers, stagedPauseMs, signal);
        }
      }
      return false;
    },
    async settle() {
      if (mode !== 'trial') return;
      const missingBefore = (await machine.trial().catch(() => undefined))?.missingBefore ?? [];
      const verdict = await watchTrial({
        ...{ missingBefore, observe, timers, signal },
        report(said) {
          log.warn({ ...said }, 'the new system is not confirmed yet');
          holder.change({ verdict: said });
        },
      });
      if (verdict === undefined) return;
      if (verdict.kind === 'give up') return giveUp(verdict.reason);
      for (let attempt = 1; !signal.aborted; attempt += 1) {
        const problem = await confirm();
        if (problem === undefined) return;
        if (attempt === confirmAttempts) return giveUp(`it could not be confirmed: ${problem}`);
        await pauseBy(timers, confirmPauseMs, signal);
      }
    },
  };
}
