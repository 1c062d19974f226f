import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { certSans, hostnameStatuses, nodeAddresses, osRootSecrets } from '@nodewright/state/kinds';
import { apiCertSans } from '../domain/cert-sans.ts';

const root = pointerTo(osRootSecrets);
const hostname = pointerTo(hostnameStatuses);
const addresses = pointerTo(nodeAddresses, 'accumulative-no-k8s');

/** Names and addresses for the API certificates. Source: Talos v1.14: secrets.APICertSANsController. */
export function createApiCertSansController(): Controller {
  return {
    name: 'secrets.APICertSANsController',
    inputs: [
      weak(osRootSecrets, root.id),
      weak(hostnameStatuses, hostname.id),
      weak(nodeAddresses, addresses.id),
    ],
    outputs: [shared(certSans)],
    async reconcile(pass) {
      const [os, name, all] = [await pass.get(root), await pass.get(hostname), await pass.get(addresses)];
      if (os === undefined) return pass.replace(certSans, []);
      // While an input is unknown, the earlier names stay valid.
      if (name === undefined || all === undefined) return;
      await pass.replace(certSans, [{ id: 'api', spec: apiCertSans(os.spec, name.spec, all.spec) }]);
    },
  };
}
