import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { certSans, hostnameStatuses, kubernetesRootSecrets, nodeAddresses } from '@nodewright/state/kinds';
import { kubernetesCertSans } from '../domain/kubernetes-cert-sans.ts';

const root = pointerTo(kubernetesRootSecrets);
const hostname = pointerTo(hostnameStatuses);
const addresses = pointerTo(nodeAddresses, 'accumulative-no-k8s');

/** Names and addresses for the certificate of the API server. Source: Talos v1.14: secrets.KubernetesCertSANsController. */
export function createKubernetesCertSansController(): Controller {
  return {
    name: 'secrets.KubernetesCertSANsController',
    inputs: [
      weak(kubernetesRootSecrets, root.id),
      weak(hostnameStatuses, hostname.id),
      weak(nodeAddresses, addresses.id),
    ],
    outputs: [shared(certSans)],
    async reconcile(pass) {
      const secrets = (await pass.get(root))?.spec;
      if (secrets === undefined) return pass.replace(certSans, []);
      const name = (await pass.get(hostname))?.spec;
      const all = (await pass.get(addresses))?.spec;
      // While an input is unknown, the earlier names stay valid.
      if (name === undefined || all === undefined) return;
      await pass.replace(certSans, [{ id: 'k8s', spec: kubernetesCertSans(secrets, name, all) }]);
    },
  };
}
