import { type Controller, weak } from '@nodewright/controllers';
import { parseCertificate } from '@nodewright/pki';
import { pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
} from '@nodewright/state/kinds';

/**
 * Logs the addresses and the key fingerprint of a node in maintenance, for `apply-config --insecure
 * --cert-fingerprint`. It logs them again when one of them changes.
 *
 * Source: Talos v1.14: runtime.MaintenanceServiceInformController.
 */
export function createMaintenanceInformController(): Controller {
  let told = '';
  return {
    name: 'runtime.MaintenanceServiceInformController',
    inputs: [
      weak(maintenanceServiceRequests, maintenanceServiceRequests.singleton),
      weak(maintenanceServiceConfigs, maintenanceServiceConfigs.singleton),
      weak(apiCertificates, apiCertificates.singleton),
    ],
    outputs: [],
    async reconcile(pass) {
      const request = await pass.get(pointerTo(maintenanceServiceRequests));
      const config = await pass.get(pointerTo(maintenanceServiceConfigs));
      const certificates = await pass.get(pointerTo(apiCertificates));
      const server = certificates?.spec.server;
      if (request?.metadata.phase !== 'running' || config === undefined) {
        told = '';
        return;
      }
      if (!certificates?.spec.skipVerifyingClientCert || server == null) return;
      const fingerprint = parseCertificate(server.crt).publicKeyFingerprint;
      const { reachableAddresses } = config.spec;
      const news = `${fingerprint} ${reachableAddresses.join(' ')}`;
      if (news === told) return;
      told = news;
      pass.log.info({ reachableAddresses, fingerprint }, 'maintenance: this machine waits for apply-config');
    },
  };
}
