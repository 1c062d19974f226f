import type { ContainerRuntime } from '@nodewright/containers';
import type { Topic } from '../topic.ts';
import { createContainers } from './rpc/containers.ts';
import { createImageService } from './rpc/image-service.ts';
import { createImages } from './rpc/images.ts';

export interface OpenContainersInit {
  /** Undefined on a node that was given none: the calls fail with `failed-precondition`. */
  readonly runtime: ContainerRuntime | undefined;
  /** Whether the configuration has rules on signatures of images. */
  readonly hasVerificationRules: () => boolean;
}

/** The calls about containers and images of the node's runtime. */
export function openContainers({ runtime, hasVerificationRules }: OpenContainersInit): Topic {
  return {
    controllers: [],
    api: {
      'machine.MachineService': { ...createContainers(runtime), ...createImages(runtime) },
      'machine.ImageService': createImageService(runtime, hasVerificationRules),
    },
  };
}
