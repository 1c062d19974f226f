import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcdRootSecrets, etcdSecrets, pkiStatuses } from '@nodewright/state/kinds';
import type { EtcdPkiFiles } from '../host/pki-files.ts';

const root = pointerTo(etcdRootSecrets);
const secrets = pointerTo(etcdSecrets);

/**
 * Writes the certificate files of etcd and publishes the version that was written. Source: Talos v1.14:
 * etcd.PKIController.
 */
export function createEtcdPkiController(files: EtcdPkiFiles): Controller {
  return {
    name: 'etcd.PKIController',
    inputs: [weak(etcdRootSecrets, root.id), weak(etcdSecrets, secrets.id)],
    outputs: [exclusive(pkiStatuses)],
    async reconcile(pass) {
      const ca = (await pass.get(root))?.spec.etcdCA;
      const made = await pass.get(secrets);
      if (ca === undefined || made === undefined) return pass.replace(pkiStatuses, []);
      const { etcd, etcdPeer, etcdAdmin } = made.spec;
      if (etcd === undefined || etcdPeer === undefined || etcdAdmin === undefined) return;
      await files.write({ ca, server: etcd, peer: etcdPeer, admin: etcdAdmin });
      const spec = { ready: true, version: String(made.metadata.version) };
      await pass.replace(pkiStatuses, [{ id: 'etcd', spec }]);
    },
  };
}
