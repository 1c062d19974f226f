import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  certSans,
  kubernetesDynamicCerts,
  kubernetesRootSecrets,
  networkStatuses,
  timeStatuses,
} from '@nodewright/state/kinds';
import { issueLocally } from '../../secrets/controllers/issue-locally.ts';
import {
  apiServerCertificate,
  frontProxyCertificate,
  kubeletClientCertificate,
} from '../domain/kubernetes-certificates.ts';
import { openIssuedForKubernetes } from './issued-for-kubernetes.ts';

const output = pointerTo(kubernetesDynamicCerts);
const root = pointerTo(kubernetesRootSecrets);
const sans = pointerTo(certSans, 'k8s');

/**
 * Issues the certificates of the API server: for serving, and for its calls to kubelets and to extension servers. They
 * are valid for a year, and renewed after half of it or when an input changes. Source: Talos v1.14:
 * secrets.KubernetesDynamicCertsController.
 */
export function createKubernetesDynamicCertsController(): Controller {
  const issued = openIssuedForKubernetes();
  return {
    name: 'secrets.KubernetesDynamicCertsController',
    inputs: [
      weak(networkStatuses),
      weak(kubernetesRootSecrets, root.id),
      weak(timeStatuses),
      weak(certSans, sans.id),
    ],
    outputs: [exclusive(kubernetesDynamicCerts)],
    async reconcile(pass) {
      const { issuingCA, aggregatorCA } = (await pass.get(root))?.spec ?? {};
      if (issuingCA === undefined || aggregatorCA === undefined) {
        issued.forget();
        return pass.replace(kubernetesDynamicCerts, []);
      }
      const network = (await pass.get(pointerTo(networkStatuses)))?.spec;
      const time = (await pass.get(pointerTo(timeStatuses)))?.spec;
      const names = (await pass.get(sans))?.spec;
      // Clients would reject certificates issued with a wrong clock.
      if (!network?.addressReady || !time?.synced || names === undefined) return;
      const inputs = { issuingCA, aggregatorCA, names, epoch: time.epoch };
      const nowMs = pass.now();
      if (!issued.isCurrent(inputs, nowMs)) {
        const [serving, kubelet, frontProxy] = await Promise.all([
          issueLocally(issuingCA, apiServerCertificate(names), nowMs),
          issueLocally(issuingCA, kubeletClientCertificate, nowMs),
          issueLocally(aggregatorCA, frontProxyCertificate, nowMs),
        ]);
        const apiServer = { crt: serving.crt + issuingCA.crt, key: serving.key };
        await pass.put({ ...output, spec: { apiServer, apiServerKubeletClient: kubelet, frontProxy } });
        issued.remember(inputs, nowMs);
        pass.log.info('certificates of the API server issued');
      }
      pass.wakeAfter(issued.delayMs(nowMs));
    },
  };
}
