import type { ContainerRuntime } from '@nodewright/containers';
import type { Topic } from '../base/topic.ts';
import { type ContainerLogRequest, readContainerLog } from './host/container-log.ts';
import { createContainers } from './rpc/containers.ts';
import { createImageService } from './rpc/image-service.ts';
import { createImages } from './rpc/images.ts';

export interface OpenContainersInit {
  /** Undefined on a node without a runtime: then the calls fail with `failed-precondition`. */
  readonly runtime: ContainerRuntime | undefined;
  /** Whether the configuration has verification rules for images. */
  readonly hasVerificationRules: () => boolean;
}

export interface ContainersTopic extends Topic {
  /**
   * The log of a container from its runtime.
   *
   * @throws Fault when there is no runtime or no such container
   */
  readLog(request: ContainerLogRequest, signal: AbortSignal): AsyncIterable<Buffer>;
}

/** The calls about containers and images of the node's runtime. */
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
