import type { Timers } from '@nodewright/async';
import { ChangeSignal } from '@nodewright/async';
import { Fault, faultFrom } from '@nodewright/fault';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { machineConfigs, yamlSpecAnnotation } from '@nodewright/state/kinds';
import {
  activeConfigId,
  persistentConfigId,
  rememberDecoded,
} from '../../base/controllers/configuration-of.ts';
import { type DecodedConfiguration, isComplete } from '../../base/domain/machine-configuration.ts';

/** How long a configuration may take to get to the disk before whoever waits for it is told that it did not. */
const storeTimeoutMs = 30_000;

/**
 * The machine configurations of the node: the only one who writes their resources, in nobody's name. What is in force
 * (`v1alpha1`) and what the next start takes (`persistent`) may differ: one that is staged, or one that is tried.
 *
 * Source: Talos v1.14: COSI resources, MachineConfigs.
 */
export class ConfigurationKeeper {
  readonly #state: State;
  readonly #timers: Timers;
  readonly #outcomes = new ChangeSignal();
  #isClaimed = false;
  #active: DecodedConfiguration | undefined;
  #persistentText: string | undefined;
  /** What was last heard of the disk. */
  #storedText: string | undefined;
  #failure: { readonly text: string; readonly fault: Fault } | undefined;

  constructor(state: State, timers: Timers) {
    this.#state = state;
    this.#timers = timers;
  }

  /** What is in force; undefined while the node has found nothing. It may be a part. */
  active(): DecodedConfiguration | undefined {
    return this.#active;
  }

  /** Whether the next start takes this text, which is on the disk, although it is not in force. */
  isStaged(text: string): boolean {
    return this.#storedText === text && this.#persistentText === text && this.#active?.text !== text;
  }

  /** The node waits for a configuration that it can run with. Source: Talos v1.14: ApplyConfiguration, maintenance. */
  isMaintenance(): boolean {
    return this.#active === undefined || !isComplete(this.#active);
  }

  /** For whoever is about to change a configuration: undefined while somebody else is. To be disposed after the change. */
  claim(): Disposable | undefined {
    if (this.#isClaimed) return undefined;
    this.#isClaimed = true;
    return {
      [Symbol.dispose]: () => {
        this.#isClaimed = false;
      },
    };
  }

  /** Puts it in force; undefined: nothing, as on a node that has found no configuration. */
  async activate(configuration: DecodedConfiguration | undefined): Promise<void> {
    const wasActive = this.#active !== undefined;
    // First, as whoever is woken by the resource may ask here.
    this.#active = configuration;
    if (configuration !== undefined) rememberDecoded(configuration);
    if (configuration !== undefined) await this.#put(activeConfigId, configuration.text);
    else if (wasActive) await this.#state.destroy(pointerTo(machineConfigs, activeConfigId));
  }

  /** Says what the next start is to take, without waiting for the disk. */
  async persist(text: string): Promise<void> {
    // Until it is heard of again: a write that is under way may put another text there first.
    if (text !== this.#persistentText) this.#storedText = undefined;
    this.#persistentText = text;
    await this.#put(persistentConfigId, text);
  }

  /**
   * Makes the next start take it: resolves when it is on disk. For who holds the claim.
   *
   * @throws Fault when it could not be stored; what was to be taken before is again, and a crash meanwhile leaves
   * either of them
   */
  async store(text: string): Promise<void> {
    const before = this.#persistentText;
    this.#failure = undefined;
    await this.persist(text);
    const timeout = new AbortController();
    using _ = this.#timers.after(storeTimeoutMs, () => timeout.abort());
    while (this.#storedText !== text) {
      const failure = this.#failureOf(text, timeout.signal.aborted);
      if (failure !== undefined) {
        await this.#takeBack(before);
        throw failure;
      }
      await this.#outcomes.next(timeout.signal);
    }
  }

  /** To be called by the one who writes to the disk: it has this text now. */
  reportStored(text: string): void {
    this.#storedText = text;
    this.#outcomes.notify();
  }

  /** To be called when the disk did not take it. Which of the texts it has is not known then. */
  reportFailure(text: string, error: unknown): void {
    this.#storedText = undefined;
    this.#failure = { text, fault: faultFrom(error) };
    this.#outcomes.notify();
  }

  #failureOf(text: string, isLate: boolean): Fault | undefined {
    const notApplied = 'the configuration is not applied';
    if (this.#failure?.text === text) {
      const { kind, message } = this.#failure.fault;
      return new Fault(kind, `${notApplied}: ${message}`);
    }
    if (!isLate) return undefined;
    return new Fault(
      'deadline-exceeded',
      `${notApplied}: the disk did not take it within ${storeTimeoutMs / 1000} s`,
    );
  }

  async #takeBack(before: string | undefined): Promise<void> {
    if (before !== undefined) await this.persist(before);
    else {
      await this.#state.destroy(pointerTo(machineConfigs, persistentConfigId));
      this.#persistentText = undefined;
    }
  }

  #put(id: string, spec: string) {
    const resource = { ...pointerTo(machineConfigs, id), spec, annotations: yamlSpecAnnotation };
    return putResource(this.#state, resource);
  }
}
