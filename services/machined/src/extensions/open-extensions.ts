import { faultFrom } from '@nodewright/fault';
import type { ServiceManager } from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { Topic } from '../base/topic.ts';
import { type ExtensionServices, extensionServiceController } from './controllers/extension-service.ts';
import {
  extensionServiceConfigController,
  extensionServiceConfigFilesController,
} from './controllers/extension-service-config.ts';
import { configFilesFolder } from './domain/config-files.ts';
import { serviceIdOf } from './domain/service-container.ts';
import { loadServices, serviceFilesFolder } from './domain/service-files.ts';
import type { ExtensionServiceSpec } from './domain/service-spec.ts';
import { createConfigFileStore } from './host/config-file-store.ts';
import { type ExtensionServiceInit, extensionService } from './host/extension-service.ts';
import type { ExtensionSets } from './host/extension-sets.ts';
import { linesToConsole } from './host/lines-to-console.ts';
import { readServiceFiles } from './host/read-service-files.ts';
import { openServiceConditions } from './host/service-conditions.ts';
import { createExtensionSetService } from './rpc/extension-sets.ts';

export interface OpenExtensionsInit extends ExtensionServiceInit {
  /** The node's root, without a trailing slash. */
  readonly root: string;
  readonly services: ServiceManager;
  readonly state: State;
  readonly logs: LogStore;
  readonly log: Logger;
  /** Undefined on a node that is no machine of its own. */
  readonly sets: ExtensionSets | undefined;
  /** Whether the configuration wants the output of all services on the console. */
  readonly isDebug: () => boolean;
}

export interface ExtensionsTopic extends Topic {
  /** Lets the services of extensions start. */
  begin(): void;
  /** To be called once: keeps the set of extensions that this start has tried, when the machine is sound. */
  settle(): Promise<void>;
}

/** Opens the topic of system extensions: their services, and the configuration of these. What it opens ends with `scope`. */
export function openExtensions(init: OpenExtensionsInit, scope: AsyncDisposableStack): ExtensionsTopic {
  const service = extensionServiceController(extensionServices(init, scope));
  const store = createConfigFileStore(`${init.root}${configFilesFolder}`);
  return {
    controllers: [extensionServiceConfigController(), extensionServiceConfigFilesController(store), service],
    api: { 'suite.extensions.v1.ExtensionSetService': createExtensionSetService(init.sets) },
    begin: () => service.begin(),
    settle: async () => init.sets?.settle(),
  };
}

function extensionServices(init: OpenExtensionsInit, scope: AsyncDisposableStack): ExtensionServices {
  const { root, services, log, containers } = init;
  // Where no containers run, no later start would succeed.
  const never = { hasFailed: () => false, onFailure: () => ({ [Symbol.dispose]() {} }) };
  return {
    start: (name) => services.start([serviceIdOf(name)]),
    failureOf: (name) =>
      containers === undefined ? never : services.failureOf(serviceIdOf(name), 'starting'),
    async load() {
      const { specs, problems } = loadServices(await readServiceFiles(`${root}${serviceFilesFolder}`));
      for (const { file, reason } of problems)
        log.error({ file, reason }, 'the file of an extension service is left out');
      const declared: ExtensionServiceSpec[] = [];
      for (const spec of specs) {
        try {
          await declare(spec, init, scope);
          declared.push(spec);
        } catch (error) {
          log.error(
            { service: serviceIdOf(spec.name), reason: faultFrom(error).message },
            'an extension service cannot start',
          );
        }
      }
      services.start(declared.map(({ name }) => serviceIdOf(name)));
      return declared.map(({ name, depends }) => ({
        name,
        waitsForConfiguration: depends.some(({ kind }) => kind === 'configuration'),
      }));
    },
    async restart(name) {
      const id = serviceIdOf(name);
      log.info({ service: id }, 'the configuration of an extension service has changed: restarting it');
      await services.stop([id]);
      services.start([id]);
    },
  };
}

async function declare(
  spec: ExtensionServiceSpec,
  init: OpenExtensionsInit,
  scope: AsyncDisposableStack,
): Promise<void> {
  const { services, state, logs, log, isDebug } = init;
  await using opened = new AsyncDisposableStack();
  const conditions = await openServiceConditions(spec, state, opened);
  services.declare([extensionService(spec, conditions, init)]);
  const id = serviceIdOf(spec.name);
  opened.use(linesToConsole(logs, id, { log, isWanted: () => spec.logToConsole || isDebug() }));
  scope.use(opened.move());
}
