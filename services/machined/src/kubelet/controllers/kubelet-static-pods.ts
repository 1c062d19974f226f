import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  nodenames,
  services,
  staticPodStatuses,
  staticPods,
} from '@nodewright/state/kinds';
import { podSettings } from '../../kubernetes/domain/pod-settings.ts';
import { withProblem } from '../../kubernetes/domain/pod-status.ts';
import type { PodProblems } from '../../kubernetes/host/pod-problems.ts';
import { type ReportedPod, staticPodsOf } from '../domain/reported-pods.ts';

/** A client certificate for the kubelet. */
export interface KubeletCredentials {
  readonly crt: string;
  readonly key: string;
}

/** The pods of the kubelet of this node. */
export type PollKubelet = (credentials: KubeletCredentials, signal: AbortSignal) => Promise<ReportedPod[]>;

const kubelet = pointerTo(services, 'kubelet');
const certificates = pointerTo(kubernetesDynamicCerts);
const nodename = pointerTo(nodenames);
const apiServer = pointerTo(staticPods, 'kube-apiserver');
/** Source: Talos v1.14: static pods, status. */
const periodMs = 15_000;
/** While the kubelet starts, its pods change soon. */
const retryMs = 2_000;

/**
 * Publishes the status of the static pods on control planes, which have a certificate for the kubelet. Source: Talos v1.14:
 * k8s.KubeletStaticPodController.
 */
export function createKubeletStaticPodController(poll: PollKubelet, problems: PodProblems): Controller {
  return {
    name: 'k8s.KubeletStaticPodController',
    open(source, scope) {
      scope.use(problems.onChange(() => source.wake()));
    },
    inputs: [
      weak(nodenames, nodename.id),
      weak(services, kubelet.id),
      weak(kubernetesDynamicCerts, certificates.id),
      weak(kubernetesRootSecrets, kubernetesRootSecrets.singleton),
      weak(staticPods, apiServer.id),
    ],
    outputs: [exclusive(staticPodStatuses)],
    async reconcile(pass) {
      const credentials = (await pass.get(certificates))?.spec.apiServerKubeletClient;
      const isRunning = (await pass.get(kubelet))?.spec.running ?? false;
      if (credentials === undefined || !isRunning) return pass.replace(staticPodStatuses, []);
      try {
        const pods = staticPodsOf(await poll(credentials, pass.signal));
        const published = (await pass.get(apiServer))?.spec.pod;
        const problem = published && problems.of('kube-apiserver', podSettings(published));
        const isApiServer = (id: string) => id.startsWith('kube-system/kube-apiserver-');
        await pass.replace(
          staticPodStatuses,
          pods.map(({ id, status }) => ({
            id,
            spec: { podStatus: isApiServer(id) ? withProblem(status, problem) : status },
          })),
        );
        pass.wakeAfter(pods.every(({ isReady }) => isReady) ? periodMs : retryMs);
      } catch (error) {
        if (pass.signal.aborted) return;
        pass.log.debug({ error: String(error) }, 'the kubelet does not list its pods');
        pass.wakeAfter(retryMs);
      }
    },
  };
}
