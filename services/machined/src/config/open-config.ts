import { systemTimers } from '@nodewright/async';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { DecodedConfiguration } from '../base/domain/machine-configuration.ts';
import type { World } from '../base/domain/world.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import type { NodeEvent } from '../life/domain/node-event.ts';
import { acquireConfiguration } from './controllers/acquire-configuration.ts';
import { configControllers } from './controllers/config-controllers.ts';
import { configurationApplier } from './controllers/configuration-applier.ts';
import { ConfigurationKeeper } from './controllers/configuration-keeper.ts';
import { configurationSources } from './controllers/configuration-sources.ts';
import { ConfigurationTrial } from './controllers/configuration-trial.ts';
import { type MetaStore, openMetaStore } from './controllers/meta-store.ts';
import { createConfigurationExaminer } from './host/configuration-examiner.ts';
import { createConfigurationFile } from './host/configuration-file.ts';
import { createMetaFile, type MetaFile } from './host/meta-file.ts';
import { createApplyConfiguration } from './rpc/apply-configuration.ts';
import { createMeta } from './rpc/meta.ts';

export interface OpenConfigInit {
  readonly world: World;
  readonly layout: NodeLayout;
  readonly state: State;
  readonly environment: NodeJS.ProcessEnv;
  /** META of a machine; other nodes keep it in a file. */
  readonly metaPartition?: MetaFile | undefined;
  readonly events: { publish(event: NodeEvent): void };
  readonly log: Logger;
}

export interface ConfigTopic extends Topic {
  readonly meta: MetaStore;
  /** Whether the node waits for a complete configuration. */
  isMaintenance(): boolean;
  /** Resolves when the node has a complete configuration. @throws Fault `cancelled` when the signal aborts */
  acquire(signal: AbortSignal): Promise<void>;
  /**
   * Keeps the configuration and META as they are, from the end of the changes that are being made until the result is disposed of: for an
   * installation, which copies both. Calls that would change one of them are refused.
   *
   * @param reason a line for those whose change is refused: why, and what to do
   * @throws Fault `cancelled` when the signal aborts
   */
  hold(reason: string, signal: AbortSignal): Promise<Disposable>;
  /** Says how to find the addresses that the node would lose with a configuration. */
  setLostAddresses(find: FindLostAddresses): void;
}

export type FindLostAddresses = (next: DecodedConfiguration) => Promise<readonly string[]>;

/**
 * Opens the topic that finds, stores and changes the node's configuration and META. A trial ends with
 * `scope`.
 */
export async function openConfig(init: OpenConfigInit, scope: AsyncDisposableStack): Promise<ConfigTopic> {
  const { world, layout, state, environment, events, log } = init;
  const { machineConfig, embeddedMachineConfig: embeddedPath, meta: metaPath } = layout.paths;
  const file = createConfigurationFile(machineConfig);
  const keeper = new ConfigurationKeeper(state, systemTimers, file);
  const examiner = createConfigurationExaminer(world);
  const sources = configurationSources({ world, file, embeddedPath, environment });
  const trial = scope.use(new ConfigurationTrial(keeper, systemTimers, log));
  const metaFile = world.keepsMeta ? (init.metaPartition ?? createMetaFile(metaPath)) : undefined;
  const meta = await openMetaStore({ state, log, file: metaFile });
  let findLost: FindLostAddresses = async () => [];
  const lostAddresses: FindLostAddresses = (next) => findLost(next);
  return {
    controllers: configControllers({ sources, keeper, examiner, events }),
    api: {
      'machine.MachineService': {
        ...createApplyConfiguration(configurationApplier({ keeper, trial, examiner, lostAddresses, log })),
        ...createMeta(meta, () => keeper.heldFor()),
      },
    },
    meta,
    isMaintenance: () => keeper.isMaintenance(),
    acquire: (signal) => acquireConfiguration(state, signal),
    async hold(reason, signal) {
      const held = await keeper.hold(reason, signal);
      try {
        await keeper.settle();
        await meta.settled();
      } catch (error) {
        held[Symbol.dispose]();
        throw error;
      }
      return held;
    },
    setLostAddresses(find) {
      findLost = find;
    },
  };
}
