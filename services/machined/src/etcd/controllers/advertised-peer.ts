import { etcdPorts } from '@nodewright/contract';
import { type Controller, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcdSpecs, pkiStatuses, services } from '@nodewright/state/kinds';
import { etcdUrl } from '../domain/addresses.ts';

/**
 * Sets the peer URLs of this node's member in the etcd cluster if they differ. Resolves to whether they
 * changed.
 *
 * @throws Fault while etcd does not answer
 */
export type UpdatePeerUrls = (peerUrls: readonly string[], signal: AbortSignal) => Promise<boolean>;

/**
 * Publishes the addresses of this node to the other etcd members as peer URLs. It makes no request before
 * etcd is healthy, because a change needs a quorum. Source: Talos v1.14: etcd.AdvertisedPeerController.
 */
export function createAdvertisedPeerController(update: UpdatePeerUrls): Controller {
  let known = '';
  return {
    name: 'etcd.AdvertisedPeerController',
    inputs: [weak(etcdSpecs), weak(pkiStatuses), weak(services, 'etcd')],
    outputs: [],
    async reconcile(pass) {
      const spec = (await pass.get(pointerTo(etcdSpecs)))?.spec;
      const pki = (await pass.get(pointerTo(pkiStatuses)))?.spec;
      const service = (await pass.get(pointerTo(services, 'etcd')))?.spec;
      if (!service?.healthy) known = '';
      if (spec === undefined || !pki?.ready || !service?.healthy) return;
      const wanted = spec.advertisedAddresses.map((address) => etcdUrl(address, etcdPorts.peer));
      if (wanted.join() === known) return;
      const isChanged = await update(wanted, pass.signal);
      known = wanted.join();
      if (isChanged) pass.log.info({ peerUrls: wanted }, 'etcd peer URLs updated');
    },
  };
}
