import {
  type FollowingService,
  type ServiceController,
  serviceController,
  weak,
} from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { kernelCmdlines } from '@nodewright/state/kinds';

/** Runs udevd as soon as the kernel's command line is known. Source: Talos v1.14: runtime.UdevServiceController. */
export function udevdServiceController(service: FollowingService): ServiceController {
  return serviceController({
    name: 'runtime.UdevServiceController',
    inputs: [weak(kernelCmdlines, kernelCmdlines.singleton)],
    wanted: async (pass) => ((await pass.get(pointerTo(kernelCmdlines))) === undefined ? undefined : {}),
    service,
  });
}
