import { type Controller, exclusive } from '@nodewright/controllers';
import { generateCertificateAuthority, validityFrom } from '@nodewright/pki';
import { pointerTo } from '@nodewright/state';
import { maintenanceRootSecrets } from '@nodewright/state/kinds';

const root = pointerTo(maintenanceRootSecrets);
const lifetimeHours = 24;

/**
 * A CA for the certificate of a node without a configuration. It lives as long as machined. Source: Talos
 * v1.14: secrets.MaintenanceRootController.
 */
export function createMaintenanceRootController(): Controller {
  return {
    name: 'secrets.MaintenanceRootController',
    inputs: [],
    outputs: [exclusive(maintenanceRootSecrets)],
    async reconcile(pass) {
      if ((await pass.get(root)) !== undefined) return;
      const { certificate, key } = await generateCertificateAuthority({
        algorithm: 'ed25519',
        ...validityFrom(pass.now(), lifetimeHours),
      });
      await pass.put({ ...root, spec: { ca: { crt: certificate, key } } });
    },
  };
}
