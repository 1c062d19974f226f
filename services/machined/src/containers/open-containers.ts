import type { ContainerRuntime } from '@nodewright/containers';
import type { Topic } from '../base/topic.ts';
import { type ContainerLogRequest, readContainerLog } from './host/container-log.ts';
import { createContainers } from './rpc/containers.ts';
import { createImageService } from './rpc/image-service.ts';
import { createImages } from './rpc/images.ts';

export interface OpenContainersInit {
  /**
   * The container runtime; `undefined` on a node without one, where the calls fail with
   * `failed-precondition`.
   */
  readonly runtime: ContainerRuntime | undefined;
  /** Whether the configuration has verification rules for images. */
  readonly hasVerificationRules: () => boolean;
}

export interface ContainersTopic extends Topic {
  /**
   * Reads the log of a container from its runtime.
   *
   * @throws Fault when the node has no runtime or no such container
   */
  readLog(request: ContainerLogRequest, signal: AbortSignal): AsyncIterable<Buffer>;
}

/** Opens the topic of containers and images in the node's runtime. */
export function openContainers({ runtime, hasVerificationRules }: OpenContainersInit): ContainersTopic {
  return {
    readLog: (request, signal) => readContainerLog(runtime, request, signal),
    controllers: [],
    api: {
      'machine.MachineService': { ...createContainers(runtime), ...createImages(runtime) },
      'machine.ImageService': createImageService(runtime, hasVerificationRules),
    },
  };
}
