import { type ServiceController, serviceController, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { kubeletSecrets, kubeletSpecs, services } from '@nodewright/state/kinds';
import { type KubeletService, kubeletLaunchSettings } from '../host/kubelet-service.ts';

const spec = pointerTo(kubeletSpecs);
const secrets = pointerTo(kubeletSecrets);

/**
 * Runs the kubelet while its spec and its secrets exist, and restarts it when they change. Source: Talos v1.14:
 * k8s.KubeletServiceController.
 */
export function createKubeletServiceController(
  service: Pick<KubeletService, 'start' | 'stop' | 'launchedWith' | 'restart' | 'hasFailed' | 'onFailure'>,
): ServiceController {
  return serviceController({
    name: 'k8s.KubeletServiceController',
    inputs: [weak(kubeletSpecs, spec.id), weak(kubeletSecrets, secrets.id), weak(services, 'kubelet')],
    async wanted(pass) {
      const kubelet = (await pass.get(spec))?.spec;
      const credentials = (await pass.get(secrets))?.spec;
      if (kubelet === undefined || credentials === undefined) return undefined;
      return { settings: kubeletLaunchSettings({ spec: kubelet, secrets: credentials }) };
    },
    service,
  });
}
