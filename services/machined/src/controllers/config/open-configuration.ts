import { type Controller, systemTimers, type Timers } from '@nodewright/controllers';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { NodeMode } from '../../domain/node-facts.ts';
import {
  type ConfigurationExaminer,
  createConfigurationExaminer,
} from '../../host/configuration-examiner.ts';
import { createConfigurationFile } from '../../host/configuration-file.ts';
import type { NodeEvent } from '../../life/domain/node-event.ts';
import { configControllers } from './config-controllers.ts';
import { ConfigurationKeeper } from './configuration-keeper.ts';
import { configurationSources } from './configuration-sources.ts';
import { ConfigurationTrial } from './configuration-trial.ts';

export interface OpenConfigurationInit {
  readonly state: State;
  readonly mode: NodeMode;
  /** On this host. */
  readonly paths: { readonly machineConfig: string; readonly embeddedMachineConfig: string };
  readonly environment: NodeJS.ProcessEnv;
  readonly events: { publish(event: NodeEvent): void };
  readonly log: Logger;
  /** Default: those of the host. */
  readonly timers?: Timers;
}

/** A node's configuration at work. */
export interface OpenConfiguration {
  readonly controllers: readonly Controller[];
  /** What the call that applies one needs. */
  readonly keeper: ConfigurationKeeper;
  readonly trial: ConfigurationTrial;
  readonly examiner: ConfigurationExaminer;
}

/** What finds, keeps and changes the configuration of a node, put together. The scope ends what is being tried. */
export function openConfiguration(
  init: OpenConfigurationInit,
  scope: AsyncDisposableStack,
): OpenConfiguration {
  const { state, mode, paths, environment, events, log, timers = systemTimers } = init;
  const keeper = new ConfigurationKeeper(state, timers);
  const examiner = createConfigurationExaminer(mode);
  const file = createConfigurationFile(paths.machineConfig);
  const embeddedPath = paths.embeddedMachineConfig;
  return {
    controllers: configControllers({
      sources: configurationSources({ mode, file, embeddedPath, environment }),
      keeper,
      file,
      examiner,
      events,
    }),
    keeper,
    trial: scope.use(new ConfigurationTrial(keeper, timers, log)),
    examiner,
  };
}
