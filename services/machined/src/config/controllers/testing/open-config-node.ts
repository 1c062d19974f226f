// The configuration topic of a node for tests, with real files, controllers and calls.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { metadataKeys } from '@nodewright/contract';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { createRpcClient, createRpcServer, openUnixChannel } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { DecodedConfiguration } from '../../../base/domain/machine-configuration.ts';
import { type World, worlds } from '../../../base/domain/world.ts';
import { completeServices } from '../../../base/rpc/complete-services.ts';
import type { NodeEvent } from '../../../life/domain/node-event.ts';
import { examineConfiguration } from '../../domain/examine-configuration.ts';
import type { ConfigurationSource } from '../../domain/search-configuration.ts';
import { type ConfigurationExaminer, loadInertTable } from '../../host/configuration-examiner.ts';
import { createConfigurationFile } from '../../host/configuration-file.ts';
import { createMetaFile } from '../../host/meta-file.ts';
import { createApplyConfiguration } from '../../rpc/apply-configuration.ts';
import { createMeta } from '../../rpc/meta.ts';
import { acquireConfiguration } from '../acquire-configuration.ts';
import { configControllers } from '../config-controllers.ts';
import { configurationApplier } from '../configuration-applier.ts';
import { ConfigurationKeeper } from '../configuration-keeper.ts';
import { configurationSources } from '../configuration-sources.ts';
import { ConfigurationTrial } from '../configuration-trial.ts';
import { openMetaStore } from '../meta-store.ts';

export interface ConfigNodeInit {
  /** The folder of the node, with `config.yaml` and `meta.json`. */
  readonly folder: string;
  /** Replaces the sources of a process node. */
  readonly sources?: readonly ConfigurationSource[];
  /** Where the node runs; default: as a process. Its files and sources are those of a process anyway. */
  readonly world?: World;
  /** Returns warnings. @throws Fault for a configuration that the node must refuse */
  readonly validate: (configuration: DecodedConfiguration) => readonly string[];
}

export type ConfigNode = Awaited<ReturnType<typeof openConfigNode>>;

/**
 * Starts the node and waits until it has searched for its configuration once. The test controls its clock.
 */
export async function openConfigNode({ folder, validate, world = worlds.process, ...init }: ConfigNodeInit) {
  await using opening = new AsyncDisposableStack();
  const log = createLogger({ name: 'test', telemetry: noTelemetry, destination: { write() {} } });
  const rig = opening.use(openTestRuntime());
  const { state } = rig;
  const events: NodeEvent[] = [];
  const file = createConfigurationFile(join(folder, 'config.yaml'));
  const keeper = new ConfigurationKeeper(state, rig.timers, file);
  const trial = opening.use(new ConfigurationTrial(keeper, rig.timers, log));
  const examiner: ConfigurationExaminer = {
    examine: async ({ isCall = false, ...request }) =>
      examineConfiguration(
        { ...request, world, ...(isCall && { inertTable: await loadInertTable() }) },
        validate,
      ),
  };
  const embeddedPath = join(folder, 'embedded.yaml');
  const sources =
    init.sources ?? configurationSources({ world: worlds.process, file, embeddedPath, environment: {} });
  const controllers = configControllers({
    sources,
    keeper,
    examiner,
    events: { publish: (event) => events.push(event) },
  });
  for (const controller of controllers) rig.runtime.register(controller);
  const meta = await openMetaStore({ state, file: createMetaFile(join(folder, 'meta.json')), log });

  const server = opening.use(
    createRpcServer({
      services: completeServices({
        'machine.MachineService': {
          ...createApplyConfiguration(configurationApplier({ keeper, trial, examiner, log })),
          ...createMeta(meta, () => keeper.heldFor()),
        },
      }),
      telemetry: noTelemetry,
      log,
    }),
  );
  const socket = join(folder, 'run', 'machine.sock');
  await mkdir(join(folder, 'run'), { recursive: true });
  await server.listenUnix(socket);
  const channel = opening.use(openUnixChannel(socket));
  const clientOf = (role: string) =>
    createRpcClient(MachineServiceDefinition, channel, {
      telemetry: noTelemetry,
      metadata: { [metadataKeys.role]: role },
    });

  const stop = new AbortController();
  const acquired = acquireConfiguration(state, stop.signal);
  acquired.catch(() => {});
  opening.defer(() => stop.abort());
  await rig.settled();
  const scope = opening.move();
  return {
    ...rig,
    keeper,
    events,
    acquired,
    admin: clientOf('os:admin'),
    reader: clientOf('os:reader'),
    [Symbol.asyncDispose]: () => scope[Symbol.asyncDispose](),
  };
}
