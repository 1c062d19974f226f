import { type ServiceController, serviceController, weak } from '@nodewright/controllers';
import type { ComponentName } from '@nodewright/node-files';
import { pointerTo } from '@nodewright/state';
import { services, staticPods } from '@nodewright/state/kinds';
import { podSettings } from '../domain/pod-settings.ts';
import type { PodService } from '../host/pod-service.ts';

/** Runs a component while its static pod exists, and restarts it when the pod changes. */
export function createPodServiceController(
  component: ComponentName,
  service: Pick<PodService, 'start' | 'stop' | 'launchedWith' | 'restart' | 'hasFailed' | 'onFailure'>,
): ServiceController {
  const names = {
    'kube-apiserver': 'k8s.ProcessAPIServerController',
    'kube-controller-manager': 'k8s.ProcessControllerManagerController',
    'kube-scheduler': 'k8s.ProcessSchedulerController',
  } as const;
  return serviceController({
    name: names[component],
    inputs: [weak(staticPods, component), weak(services, component)],
    async wanted(pass) {
      const pod = (await pass.get(pointerTo(staticPods, component)))?.spec.pod;
      return pod && { settings: podSettings(pod) };
    },
    service,
  });
}
