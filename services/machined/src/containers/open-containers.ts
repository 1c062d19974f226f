import type { ContainerRuntime } from '@nodewright/containers';
import { serviceIds } from '@nodewright/contract';
import type { FollowingService } from '@nodewright/controllers';
import { lowestOomScore } from '@nodewright/linux';
import { containerdOomScore, containerdPaths, lowestPodOomScore } from '@nodewright/node-files';
import { declaredService, type ServiceManager } from '@nodewright/services';
import type { State } from '@nodewright/state';
import type { InstallerImages } from '../base/domain/installer-images.ts';
import { recordServicePid } from '../base/resources/record-service-pid.ts';
import type { Topic } from '../base/topic.ts';
import { containerdConfigFile, criConfigController } from './controllers/cri-config.ts';
import { createCriServiceController } from './controllers/cri-service.ts';
import { imageCacheConfigController } from './controllers/image-cache-config.ts';
import { oldImagesController } from './controllers/old-images.ts';
import { registriesConfigController } from './controllers/registries-config.ts';
import { type ContainerLogRequest, readContainerLog } from './host/container-log.ts';
import { openContainerdConditions } from './host/containerd-conditions.ts';
import { openContainerdHealth } from './host/containerd-health.ts';
import { type ContainerdServiceInit, containerdService } from './host/containerd-service.ts';
import { type OwnContainers, withOwnContainers } from './host/own-containers.ts';
import { createContainers } from './rpc/containers.ts';
import { createImageService } from './rpc/image-service.ts';
import { createImages } from './rpc/images.ts';

export interface OpenContainersInit {
  /**
   * The container runtime; `undefined` on a node without one, where the calls fail with
   * `failed-precondition`.
   */
  readonly runtime: ContainerRuntime | undefined;
  /** Folder of the logs of pods; `undefined` on a node without a kubelet. */
  readonly podLogs: string | undefined;
  /** Where registryd serves images, `host:port`. */
  readonly registryAddress: string;
  /** The folders of the node with images that exist now. */
  readonly imageCacheRoots: () => readonly string[];
  /** The store of artefacts of the installer; undefined on a node that has none. */
  readonly artefacts: InstallerImages | undefined;
  /** The containers that machined runs without the runtime; undefined on a node that has none. */
  readonly own: OwnContainers | undefined;
  /** A monotonic clock in ms, where the images of the runtime belong to this node alone; undefined elsewhere. */
  readonly removesOldImages: { readonly now: () => number } | undefined;
  /** The parts of a machine with which the runtime is a service of the node; undefined where it belongs to the host. */
  readonly machine: MachineParts | undefined;
}

export interface MachineParts
  extends Omit<ContainerdServiceInit, 'conditions' | 'runtime' | 'health' | 'watcher'> {
  readonly state: State;
  readonly services: ServiceManager;
  /** Whether the node can limit processor and memory of pods. */
  readonly limitsPods: boolean;
  /** Whether volumes of the node are partitions. */
  readonly hasPartitions: boolean;
}

export interface ContainersTopic extends Topic {
  /**
   * Reads the log of a container from its runtime.
   *
   * @throws Fault when the node has no runtime or no such container
   */
  readLog(request: ContainerLogRequest, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Lets the runtime run as a service once there is a configuration; does nothing where it is no service. */
  begin(signal: AbortSignal): Promise<void>;
}

/** Opens the topic of containers and images in the node's runtime. What it opens ends with `scope`. */
export function openContainers(init: OpenContainersInit, scope: AsyncDisposableStack): ContainersTopic {
  const { runtime, podLogs, machine, own, registryAddress, imageCacheRoots, artefacts } = init;
  const { removesOldImages } = init;
  const shown = runtime && own ? withOwnContainers(runtime, own) : runtime;
  const follower =
    runtime && machine && createCriServiceController(followingService({ ...machine, runtime }, scope));
  const lowest = lowestOomScore();
  const settings = {
    oomScore: Math.max(containerdOomScore, lowest),
    lowersOomScores: lowest <= lowestPodOomScore,
    limitsPods: machine?.limitsPods ?? true,
  };
  return {
    readLog: (request, signal) => readContainerLog({ runtime: shown, podLogs }, request, signal),
    controllers: [
      imageCacheConfigController(imageCacheRoots),
      registriesConfigController(`http://${registryAddress}`),
      ...(runtime && removesOldImages ? [oldImagesController({ runtime, ...removesOldImages })] : []),
      ...(follower === undefined ? [] : [criConfigController(settings), follower]),
    ],
    begin: async (signal) => follower?.begin(signal),
    api: {
      'machine.MachineService': {
        ...createContainers(shown, podLogs !== undefined),
        ...createImages(runtime, artefacts),
      },
      'machine.ImageService': createImageService(runtime, artefacts),
    },
  };
}

/** containerd as a service, which is declared at its first start. */
function followingService(
  init: MachineParts & { readonly runtime: ContainerRuntime },
  scope: AsyncDisposableStack,
): FollowingService {
  const { state, services } = init;
  const define = async () => {
    const conditions = await openContainerdConditions(
      state,
      { configFile: containerdConfigFile, hasPartitions: init.hasPartitions },
      scope,
    );
    const health = scope.use(openContainerdHealth(containerdPaths.socket));
    const watcher = recordServicePid(state, serviceIds.cri);
    return containerdService({ ...init, conditions, health, watcher });
  };
  return declaredService({ services, id: serviceIds.cri, define });
}
