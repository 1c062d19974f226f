import { Fault } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import type { Upgrades } from '../../upgrade/domain/upgrades.ts';
import { inProgress, type UpgradeTurn } from '../domain/upgrade-turn.ts';
import { beginRun, type UpgradeRun } from '../host/upgrade-run.ts';

/** What the calls that install and upgrade share. */
export interface UpgradeAccessInit {
  /** Undefined on a node that is no machine with slots on its disk. */
  readonly upgrades: Upgrades | undefined;
  readonly turn: UpgradeTurn;
  /** Why this node takes no upgrade but that of a roll-out now; undefined when no roll-out runs. */
  readonly rolloutProblem: (signal: AbortSignal) => Promise<string | undefined>;
  /** What the node is, after "this node is". */
  readonly description: string;
  readonly log: Pick<Logger, 'info' | 'warn'>;
}

const doneTexts = {
  installation: 'a disk of this machine has a new system',
  upgrade: 'the other slot has a new system',
} as const;

/** What machine a call wants: one that runs an installed system, or one that does not. */
type Wanted = 'installed' | 'not installed';

/** Gives the calls a machine to upgrade, one at a time. */
export class UpgradeAccess {
  readonly #init: UpgradeAccessInit;

  constructor(init: UpgradeAccessInit) {
    this.#init = init;
  }

  /** @throws Fault `failed-precondition` on a node that cannot be upgraded by these calls */
  get upgrades(): Upgrades {
    const { upgrades, description } = this.#init;
    if (upgrades !== undefined) return upgrades;
    throw new Fault(
      'failed-precondition',
      `this node is ${description}: only machines with a disk of their own, and the nodes of clusters of processes or of one container each, are upgraded by calls: create it again with images of the new version`,
    );
  }

  /**
   * Keeps an upgrade of this node alone away while a roll-out runs.
   *
   * @throws Fault `failed-precondition`, which names the roll-out
   */
  async assertNoRollout(signal: AbortSignal): Promise<void> {
    const problem = await this.#init.rolloutProblem(signal);
    signal.throwIfAborted();
    if (problem !== undefined) throw new Fault('failed-precondition', problem);
  }

  /**
   * Takes the turn for a machine of the wanted kind. The caller gives it back.
   *
   * @throws Fault `failed-precondition` or `already-exists`. Source: Talos v1.14: LifecycleService, refusals
   */
  take(wanted: Wanted): Disposable {
    const { upgrades } = this;
    using taken = new DisposableStack();
    taken.use(this.#init.turn.take());
    if (upgrades.isBusy()) throw inProgress();
    const isInstalled = upgrades.isInstalled();
    if (wanted === 'installed' && !isInstalled)
      throw new Fault('failed-precondition', 'machine is not installed');
    if (wanted === 'not installed' && isInstalled)
      throw new Fault('already-exists', 'machine is already installed');
    return taken.move();
  }

  /** Logs a line of a run that no client reads. */
  note(line: string): void {
    this.#init.log.info({ line }, 'upgrade');
  }

  /** Begins a run, which has the turn until it is over, whether its client stays or not. */
  begin(
    run: keyof typeof doneTexts,
    turn: Disposable,
    work: (upgrades: Upgrades, report: (line: string) => void) => Promise<void>,
  ): UpgradeRun {
    const { log } = this.#init;
    const { upgrades } = this;
    return beginRun(
      (report) => work(upgrades, report),
      (failure) => {
        turn[Symbol.dispose]();
        if (failure === undefined) log.info({ run }, doneTexts[run]);
        else log.warn({ run, reason: failure.message }, 'a system is not installed');
      },
    );
  }
}
