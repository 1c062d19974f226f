import { readFileSync } from 'node:fs';
import type { ContainerRuntime } from '@nodewright/containers';
import { containerCapabilities, serviceIds } from '@nodewright/contract';
import { effectiveCapabilities } from '@nodewright/linux';
import type { State } from '@nodewright/state';
import type { Logger } from '@nodewright/telemetry';
import type { NodeLayout } from '../base/node-layout.ts';
import type { Topic } from '../base/topic.ts';
import type { PodProblems } from '../kubernetes/host/pod-problems.ts';
import type { LogStore } from '../logs/host/log-store.ts';
import type { ServiceCgroups } from '../services/host/service-cgroups.ts';
import type { ServiceManager } from '../services/host/service-manager.ts';
import { kubeletControllers } from './controllers/kubelet-controllers.ts';
import { createKubeletServiceController } from './controllers/kubelet-service.ts';
import { grantedNames } from './domain/granted-names.ts';
import { kubeletPaths } from './domain/kubelet-paths.ts';
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
  const granted = effectiveCapabilities(readFileSync('/proc/self/status', 'utf8'));
  const service = new KubeletService({
    ...{ state, runtime, services, logs, dependsOn: [serviceIds.cri] },
    conditions: await openKubeletConditions(state, scope),
    async prepare(input) {
      await prepareKubeletFiles({ root: layout.root, note: (message) => log.info(message) }, input);
      await coverKernelParameters();
      await openNetworkParameters();
      await coverKernelLog();
      await shareMounts(kubeletPaths.data);
    },
    prepareCgroup: async (path) => cgroups?.open(path),
    capabilities: grantedNames(containerCapabilities, granted),
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
