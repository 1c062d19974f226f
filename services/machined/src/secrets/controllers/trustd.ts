import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  certSans,
  machineTypes,
  networkStatuses,
  osRootSecrets,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import { trustdServerCertificate } from '../domain/certificate-specs.ts';
import { issueLocally } from './issue-locally.ts';
import { IssuedCertificates } from './issued-certificates.ts';

const output = pointerTo(trustdCertificates);

/**
 * The certificate that trustd of a control plane presents to joining nodes. Source: Talos v1.14:
 * secrets.TrustdController.
 */
export function createTrustdController(): Controller {
  const issued = new IssuedCertificates();
  return {
    name: 'secrets.TrustdController',
    inputs: [
      weak(networkStatuses, networkStatuses.singleton),
      weak(machineTypes, machineTypes.singleton),
      weak(osRootSecrets, osRootSecrets.singleton),
      weak(certSans, 'api'),
      weak(timeStatuses, timeStatuses.singleton),
    ],
    outputs: [exclusive(trustdCertificates)],
    async reconcile(pass) {
      const machineType = (await pass.get(pointerTo(machineTypes)))?.spec;
      if (machineType !== 'controlplane' && machineType !== 'init') {
        await pass.replace(trustdCertificates, []);
        return;
      }
      const network = (await pass.get(pointerTo(networkStatuses)))?.spec;
      const root = (await pass.get(pointerTo(osRootSecrets)))?.spec;
      const sans = (await pass.get(pointerTo(certSans, 'api')))?.spec;
      if (!network?.addressReady || !network.hostnameReady) return;
      if (root?.issuingCA === undefined || sans === undefined) return;

      const epoch = (await pass.get(pointerTo(timeStatuses)))?.spec.epoch ?? 0;
      const { issuingCA, acceptedCAs } = root;
      const inputs = { issuingCA, acceptedCAs, sans, epoch };
      const nowMs = pass.now();
      if ((await pass.get(output)) === undefined || !issued.isCurrent(inputs, nowMs)) {
        const server = await issueLocally(issuingCA, trustdServerCertificate(sans), nowMs);
        await pass.put({ ...output, spec: { server, acceptedCAs } });
        issued.remember(inputs, nowMs);
        pass.log.info({ acceptedCAs: acceptedCAs.length }, 'certificate of trustd issued');
      }
      pass.wakeAfter(issued.delayMs(pass.now()));
    },
  };
}
