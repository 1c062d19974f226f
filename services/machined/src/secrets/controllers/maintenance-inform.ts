import { type Controller, weak } from '@nodewright/controllers';
import { parseCertificate } from '@nodewright/pki';
import { pointerTo } from '@nodewright/state';
import {
  apiCertificates,
  apiWaits,
  maintenanceServiceConfigs,
  maintenanceServiceRequests,
} from '@nodewright/state/kinds';

/**
 * Logs the addresses and the key fingerprint of a node in maintenance, for `apply-config --insecure
 * --cert-fingerprint`, and of a worker that waits for its certificate, for `--cert-fingerprint`. It logs them again when one of them changes.
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
      weak(apiWaits, apiWaits.singleton),
    ],
    outputs: [],
    async reconcile(pass) {
      const request = await pass.get(pointerTo(maintenanceServiceRequests));
      const config = await pass.get(pointerTo(maintenanceServiceConfigs));
      const certificates = await pass.get(pointerTo(apiCertificates));
      const server = certificates?.spec.server;
      const isMaintenance = request?.metadata.phase === 'running';
      const isWaiting = !isMaintenance && (await pass.get(pointerTo(apiWaits))) !== undefined;
      if (!(isMaintenance || isWaiting) || config === undefined) {
        told = '';
        return;
      }
      if (certificates?.spec.skipVerifyingClientCert !== isMaintenance || server == null) return;
      const fingerprint = parseCertificate(server.crt).publicKeyFingerprint;
      const { reachableAddresses } = config.spec;
      const news = `${isMaintenance} ${fingerprint} ${reachableAddresses.join(' ')}`;
      if (news === told) return;
      told = news;
      const message = isMaintenance
        ? 'maintenance: this machine waits for apply-config'
        : // apid may still have a certificate from before machined was restarted, and then serves that one.
          'this worker waits for its certificate: while its API has no certificate of its cluster, reach it with --cert-fingerprint';
      pass.log.info({ reachableAddresses, fingerprint }, message);
    },
  };
}
