import type { Timers } from '@nodewright/async';
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
 * The machine configurations of the node: the only writer of their resources, which have no owner. What is in force
 * (`v1alpha1`) and what the next start takes (`persistent`) may differ: one that is staged, or one that is tried.
 *
 * Source: Talos v1.14: COSI resources, MachineConfigs.
 */
export class ConfigurationKeeper {
  readonly #state: State;
  readonly #stored: StoredConfiguration;
  #isClaimed = false;
  #active: DecodedConfiguration | undefined;

  constructor(state: State, timers: Timers, file: Pick<ConfigurationFile, 'store'>) {
    this.#state = state;
    this.#stored = new StoredConfiguration(file, timers);
  }

  /** What is in force; undefined while the node has found nothing. It may be a part. */
  active(): DecodedConfiguration | undefined {
    return this.#active;
  }

  /** Whether the next start takes this text, which is on the disk, although it is not in force. */
  isStaged(text: string): boolean {
    return this.#stored.has(text) && this.#active?.text !== text;
  }

  /** The node waits for a configuration that it can run with. Source: Talos v1.14: ApplyConfiguration, maintenance. */
  isMaintenance(): boolean {
    return this.#active === undefined || !isComplete(this.#active);
  }

  /** For a caller that is about to change a configuration: undefined while another one is. Dispose it after the change. */
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

  /** Publishes what the next start is to take, without waiting for the disk: `settle()` writes it. */
  async persist(text: string): Promise<void> {
    this.#stored.want(text);
    await this.#put(persistentConfigId, text);
  }

  /**
   * Makes the next start take it: first durable, then published. For the owner of the claim.
   *
   * @throws Fault when it could not be stored: nothing is published then, and a crash meanwhile leaves the text before
   * or this one
   */
  async store(text: string): Promise<void> {
    await this.#stored.store(text);
    await this.#put(persistentConfigId, text);
  }

  /** Writes what the next start is to take unless the disk has it. @throws Fault of the file */
  settle(): Promise<void> {
    return this.#stored.settle();
  }

  /** Calls `listener` whenever `settle()` may have work that no resource shows, until it is disposed. */
  onUnsettled(listener: () => void): Disposable {
    return this.#stored.onUnsettled(listener);
  }

  #put(id: string, spec: string) {
    const resource = { ...pointerTo(machineConfigs, id), spec, annotations: yamlSpecAnnotation };
    return putResource(this.#state, resource);
  }
}
