import { type Controller, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { certSans, hostnameStatuses, nodeAddresses } from '@nodewright/state/kinds';
import { maintenanceCertSans } from '../domain/cert-sans.ts';

const hostname = pointerTo(hostnameStatuses);
const addresses = pointerTo(nodeAddresses, 'accumulative');

/**
 * Names and addresses for the maintenance certificate. Source: Talos v1.14:
 * secrets.MaintenanceCertSANsController.
 */
export function createMaintenanceCertSansController(): Controller {
  return {
    name: 'secrets.MaintenanceCertSANsController',
    inputs: [weak(hostnameStatuses, hostname.id), weak(nodeAddresses, addresses.id)],
    outputs: [shared(certSans)],
    async reconcile(pass) {
      const all = await pass.get(addresses);
      if (all === undefined) return;
      const name = await pass.get(hostname);
      await pass.replace(certSans, [{ id: 'maintenance', spec: maintenanceCertSans(name?.spec, all.spec) }]);
    },
  };
}
