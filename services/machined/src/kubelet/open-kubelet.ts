import { readFileSync } from 'node:fs';
import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import { kubeletPaths } from '@nodewright/node-files';
import type { ServiceCgroups, ServiceManager } from '@nodewright/services';
import type { LogStore } from '@nodewright/services/logs';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import { grantableCapabilities } from '../base/domain/grantable-capabilities.ts';
import type { World } from '../base/domain/world.ts';
import type { NodeLayout } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import type { PodProblems } from '../kubernetes/host/pod-problems.ts';
import { kubeletControllers } from './controllers/kubelet-controllers.ts';
import { createKubeletServiceController } from './controllers/kubelet-service.ts';
import {
  coverKernelLog,
  coverKernelParameters,
  openNetworkParameters,
  shareMounts,
} from './host/kernel-covers.ts';
import { openKubeletConditions } from './host/kubelet-conditions.ts';
import { prepareKubeletFiles } from './host/kubelet-files.ts';
import { KubeletService } from './host/kubelet-service.ts';
import { pollKubelet } from './host/poll-kubelet.ts';

export interface OpenKubeletInit {
  readonly world: Pick<World, 'ownsKernel'>;
  readonly options: { readonly restartInterval: number };
  readonly layout: Pick<NodeLayout, 'root'>;
  readonly state: State;
  readonly runtime: ContainerRuntime;
  /** Whether the node can limit processor and memory of pods. */
  readonly limitsPods: boolean;
  /** Why the components of the control plane are not up to date or not ready. */
  readonly podProblems: PodProblems;
  readonly services: ServiceManager;
  readonly cgroups: ServiceCgroups | undefined;
  readonly logs: LogStore;
  readonly log: Logger;
}

export interface KubeletTopic extends Topic {
  /** Allows the kubelet to start once the configuration wants it. */
  begin(signal: AbortSignal): Promise<void>;
}

/** Opens the topic of the kubelet on a node that runs containers. It starts nothing. What it opens ends with `scope`. */
export async function openKubelet(init: OpenKubeletInit, scope: AsyncDisposableStack): Promise<KubeletTopic> {
  const { state, runtime, services, logs, log, layout, cgroups } = init;
  const service = new KubeletService({
    ...{ state, runtime, services, logs, dependsOn: [serviceIds.cri] },
    conditions: await openKubeletConditions(state, scope),
    async prepare(input) {
      await prepareKubeletFiles({ root: layout.root, note: (message) => log.info(message) }, input);
      // A machine sets the parameters of its kernel for all programs (`kernel/domain/default-kernel-parameters.ts`).
      if (!init.world.ownsKernel) {
        await coverKernelParameters();
        await openNetworkParameters();
        await coverKernelLog();
      }
      await shareMounts(kubeletPaths.data);
    },
    prepareCgroup: async (path) => cgroups?.open(path),
    capabilities: grantableCapabilities(readFileSync('/proc/self/status', 'utf8')),
    restartIntervalMs: init.options.restartInterval,
  });
  const follower = createKubeletServiceController(service);
  return {
    controllers: [
      ...kubeletControllers({ limitsPods: init.limitsPods, poll: pollKubelet, problems: init.podProblems }),
      follower,
    ],
    api: {},
    begin: (signal) => follower.begin(signal),
  };
}
