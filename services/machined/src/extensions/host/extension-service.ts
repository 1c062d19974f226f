import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '@nodewright/async';
import { serviceIds } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import { loadNativeCalls, lowestOomScore } from '@nodewright/linux';
import {
  type AdoptedChildren,
  type Condition,
  type ExitGuard,
  type Runner,
  restartRunner,
  type ServiceCgroups,
  type ServiceDefinition,
} from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import { pointerTo, type State } from '@nodewright/state';
import { type ExtensionServiceConfigSpec, extensionServiceConfigs } from '@nodewright/state/kinds';
import { grantableCapabilities } from '../../base/domain/grantable-capabilities.ts';
import { recordServicePid } from '../../base/resources/record-service-pid.ts';
import type { OwnContainers } from '../../containers/host/own-containers.ts';
import { createRuncRunner, runcProgram } from '../../containers/host/runc-runner.ts';
import { configFiles } from '../domain/config-files.ts';
import { environmentFileBytes, parseEnvironmentFile } from '../domain/environment-file.ts';
import {
  boundSources,
  serviceCgroup,
  serviceContainer,
  serviceIdOf,
  serviceOomScore,
  serviceRoot,
} from '../domain/service-container.ts';
import type { ExtensionServiceSpec } from '../domain/service-spec.ts';
import { readText } from './read-service-files.ts';
import { neededServices } from './service-conditions.ts';
import { openServiceRoot } from './service-root.ts';

/** What containers of extension services need. */
export interface ExtensionContainersInit {
  readonly children: AdoptedChildren;
  /** Where the control groups of the node are, absolute. */
  readonly cgroupFolder: string;
  readonly cgroups: ServiceCgroups;
  /** Lists the containers. */
  readonly own: OwnContainers;
}

export interface ExtensionServiceInit {
  readonly state: State;
  readonly logs: LogStore;
  readonly guard: ExitGuard;
  /** Undefined on a node that runs no containers itself. */
  readonly containers: ExtensionContainersInit | undefined;
  /** What the node is, after "this node is". */
  readonly description: string;
  readonly restartIntervalMs: number;
}

/** The folder of the state of runc, with one for each service. */
const stateFolder = '/run/extensions';
const sourceMode = 0o700;
/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
const policies = { always: 'forever', never: 'once', untilSuccess: 'untilSuccess' } as const;

/** An extension service. Source: Talos v1.14: extension services, runtime. */
export function extensionService(
  spec: ExtensionServiceSpec,
  conditions: readonly Condition[],
  init: ExtensionServiceInit,
): ServiceDefinition {
  const { containers } = init;
  const common = {
    id: serviceIdOf(spec.name),
    outlivedBy: [serviceIds.machined],
    stopTimeoutMs: 2 * graceTimeoutMs,
  };
  // It would wait for what this node never has, and say nothing about the reason.
  if (containers === undefined) return { ...common, ...withoutContainers(init) };
  return {
    ...common,
    dependsOn: neededServices(spec),
    conditions,
    async prepare() {
      for (const source of boundSources(spec)) if (!existsSync(source)) await makeFolder(source, sourceMode);
    },
    runner: restartRunner(runnerOf(spec, { ...init, containers }), {
      policy: policies[spec.restart],
      intervalMs: init.restartIntervalMs,
      now: () => performance.now(),
      sleep: pause,
    }),
  };
}

function withoutContainers({
  description,
}: ExtensionServiceInit): Pick<ServiceDefinition, 'prepare' | 'runner'> {
  const text = `extension services run in containers of the node, and this node is ${description}`;
  return {
    prepare: () => Promise.reject(new Fault('failed-precondition', text)),
    runner: { text, run: async () => {} },
  };
}

function runnerOf(
  spec: ExtensionServiceSpec,
  init: ExtensionServiceInit & { readonly containers: ExtensionContainersInit },
): Runner {
  const { state, logs, guard } = init;
  const { children, cgroups, cgroupFolder, own } = init.containers;
  const id = serviceIdOf(spec.name);
  const cgroup = serviceCgroup(spec.name);
  const shown = own.watcherOf({
    id,
    image: serviceRoot(spec.name),
    cgroupFolder: join(cgroupFolder, cgroup),
  });
  const recorded = recordServicePid(state, id);
  return createRuncRunner({
    ...{ id, runc: runcProgram, folder: join(stateFolder, spec.name), graceTimeoutMs },
    spec: async () => specOfNow(spec, await configurationOf(spec.name, state)),
    openRoot: (path) => openServiceRoot(path, loadNativeCalls),
    openCgroup: () => cgroups.open(cgroup),
    log: logs.open(id),
    ...{ guard, children },
    watcher: {
      started(pid) {
        shown.started(pid);
        recorded.started(pid);
      },
      ended() {
        shown.ended();
        recorded.ended();
      },
    },
  });
}

/** Its container with the variables and the configuration of now. */
async function specOfNow(spec: ExtensionServiceSpec, configuration: ExtensionServiceConfigSpec | undefined) {
  const { environmentFile } = spec.container;
  const ofFile =
    environmentFile === '' ? [] : parseEnvironmentFile(await readText(environmentFile, environmentFileBytes));
  return serviceContainer({
    spec,
    moreEnvironment: [...ofFile, ...(configuration?.environment ?? [])],
    configFiles: configuration === undefined ? [] : configFiles(spec.name, configuration),
    capabilities: grantableCapabilities(readFileSync('/proc/self/status', 'utf8')),
    oomScoreAdjust: Math.max(serviceOomScore, lowestOomScore()),
  });
}

async function configurationOf(name: string, state: State): Promise<ExtensionServiceConfigSpec | undefined> {
  try {
    const { metadata, spec } = await state.get(pointerTo(extensionServiceConfigs, name));
    return metadata.phase === 'running' ? spec : undefined;
  } catch (error) {
    if (faultFrom(error).kind === 'not-found') return undefined;
    throw error;
  }
}
