import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  etcdRootSecrets,
  etcdSecrets,
  hostnameStatuses,
  networkStatuses,
  nodeAddresses,
  timeStatuses,
} from '@nodewright/state/kinds';
import { issueLocally } from '../../secrets/controllers/issue-locally.ts';
import { keyOfInputs } from '../../secrets/controllers/issued-certificates.ts';
import { etcdCertificates } from '../domain/etcd-certificates.ts';

const output = pointerTo(etcdSecrets);

/**
 * Issues the certificates of etcd and of its clients on this node. They are valid for ten years, and reissued
 * when the names or addresses of the node or its CA change. Source: Talos v1.14: secrets.EtcdController.
 *
 * @param peerSources further source addresses of connections from this node to other members
 */
export function createEtcdSecretsController(peerSources: readonly string[] = []): Controller {
  let made: string | undefined;
  return {
    name: 'secrets.EtcdController',
    inputs: [
      weak(etcdRootSecrets),
      weak(networkStatuses),
      weak(timeStatuses),
      weak(hostnameStatuses),
      weak(nodeAddresses, 'accumulative-no-k8s'),
    ],
    outputs: [exclusive(etcdSecrets)],
    async reconcile(pass) {
      const ca = (await pass.get(pointerTo(etcdRootSecrets)))?.spec.etcdCA;
      if (ca === undefined) return pass.replace(etcdSecrets, []);
      const network = (await pass.get(pointerTo(networkStatuses)))?.spec;
      const hostname = (await pass.get(pointerTo(hostnameStatuses)))?.spec;
      const addresses = (await pass.get(pointerTo(nodeAddresses, 'accumulative-no-k8s')))?.spec;
      const time = (await pass.get(pointerTo(timeStatuses)))?.spec;
      // Other members would reject certificates issued with a wrong clock.
      if (!network?.addressReady || !network.hostnameReady || !time?.synced) return;
      if (hostname === undefined || addresses === undefined) return;

      const certificates = etcdCertificates(hostname, addresses, peerSources);
      const inputs = keyOfInputs({ ca, certificates, epoch: time.epoch });
      if (made === inputs && (await pass.get(output)) !== undefined) return;
      const nowMs = pass.now();
      const issue = (name: keyof typeof certificates) => issueLocally(ca, certificates[name], nowMs);
      const [etcd, etcdPeer, etcdAdmin, etcdAPIServer] = await Promise.all([
        issue('etcd'),
        issue('etcdPeer'),
        issue('etcdAdmin'),
        issue('etcdAPIServer'),
      ]);
      await pass.put({ ...output, spec: { etcd, etcdPeer, etcdAdmin, etcdAPIServer } });
      made = inputs;
      pass.log.info('certificates of etcd issued');
    },
  };
}
