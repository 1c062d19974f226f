import { ChangeSignal, type Timers } from '@nodewright/async';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource, type State } from '@nodewright/state';
import { machineConfigs, yamlSpecAnnotation } from '@nodewright/state/kinds';
import {
  activeConfigId,
  persistentConfigId,
  rememberDecoded,
} from '../../base/controllers/configuration-of.ts';
import { type DecodedConfiguration, isComplete } from '../../base/domain/machine-configuration.ts';
import type { ConfigurationFile } from '../host/configuration-file.ts';
import { StoredConfiguration } from './stored-configuration.ts';

/**
 * Holds the machine configurations of the node. It is the only writer of their resources, which have no
 * owner. The active configuration (`v1alpha1`) differs from that of the next start (`persistent`) while one
 * is staged or tried.
 *
 * Source: Talos v1.14: COSI resources, MachineConfigs.
 */
export class ConfigurationKeeper {
  readonly #state: State;
  readonly #stored: StoredConfiguration;
  #isClaimed = false;
  #heldFor: string | undefined;
  readonly #released = new ChangeSignal();
  #active: DecodedConfiguration | undefined;

  constructor(state: State, timers: Timers, file: Pick<ConfigurationFile, 'store'>) {
    this.#state = state;
    this.#stored = new StoredConfiguration(file, timers);
  }

  /** The active configuration, which may be partial. `undefined` until the node has found one. */
  active(): DecodedConfiguration | undefined {
    return this.#active;
  }

  /** Whether the text is on disk for the next start but not active. */
  isStaged(text: string): boolean {
    return this.#stored.has(text) && this.#active?.text !== text;
  }

  /**
   * Whether the node waits for a complete configuration. Source: Talos v1.14: ApplyConfiguration,
   * maintenance.
   */
  isMaintenance(): boolean {
    return this.#active === undefined || !isComplete(this.#active);
  }

  /**
   * Reserves the configuration for one change; dispose the claim after it. `undefined` while another claim is
   * held.
   */
  claim(): Disposable | undefined {
    if (this.#isClaimed) return undefined;
    this.#isClaimed = true;
    return {
      [Symbol.dispose]: () => {
        this.#isClaimed = false;
        this.#released.notify();
      },
    };
  }

  /**
   * Keeps the configuration as it is, from the end of a change that is being made until the result is disposed of. Meanwhile `claim()` gives
   * none.
   *
   * @param reason a line for those whose change is refused: why, and what to do
   * @throws Fault `cancelled` when the signal aborts
   */
  async hold(reason: string, signal: AbortSignal): Promise<Disposable> {
    for (let claim = this.claim(); ; claim = this.claim()) {
      if (claim !== undefined) {
        const held = claim;
        this.#heldFor = reason;
        return {
          [Symbol.dispose]: () => {
            this.#heldFor = undefined;
            held[Symbol.dispose]();
          },
        };
      }
      if (signal.aborted)
        throw new Fault('cancelled', 'the configuration was not held: the wait was cancelled');
      await this.#released.next(signal);
    }
  }

  /** Why the configuration is held, for people; undefined while it is not. */
  heldFor(): string | undefined {
    return this.#heldFor;
  }

  /** Makes a configuration active. `undefined` leaves the node without one, as before it had found any. */
  async activate(configuration: DecodedConfiguration | undefined): Promise<void> {
    const wasActive = this.#active !== undefined;
    // Set before the resource is written: a controller that the write wakes may call `active()`.
    this.#active = configuration;
    if (configuration !== undefined) rememberDecoded(configuration);
    if (configuration !== undefined) await this.#put(activeConfigId, configuration.text);
    else if (wasActive) await this.#state.destroy(pointerTo(machineConfigs, activeConfigId));
  }

  /** Publishes the configuration for the next start without waiting for the disk; `settle()` writes it. */
  async persist(text: string): Promise<void> {
    this.#stored.want(text);
    await this.#put(persistentConfigId, text);
  }

  /**
   * Writes the configuration for the next start to disk, then publishes it. Only the holder of the claim may
   * call this.
   *
   * @throws Fault when the write failed: nothing is published, and after a crash the disk holds the old or
   * the new text
   */
  async store(text: string): Promise<void> {
    await this.#stored.store(text);
    await this.#put(persistentConfigId, text);
  }

  /** Writes the configuration for the next start unless it is already on disk. @throws Fault of the file */
  settle(): Promise<void> {
    return this.#stored.settle();
  }

  /**
   * Calls `listener` whenever `settle()` may have work that no resource change shows. Dispose the result to
   * stop.
   */
  onUnsettled(listener: () => void): Disposable {
    return this.#stored.onUnsettled(listener);
  }

  #put(id: string, spec: string) {
    const resource = { ...pointerTo(machineConfigs, id), spec, annotations: yamlSpecAnnotation };
    return putResource(this.#state, resource);
  }
}
