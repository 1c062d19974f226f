import { etcdPorts } from '@nodewright/contract';
import { type Controller, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { etcdSpecs, pkiStatuses, services } from '@nodewright/state/kinds';
import { etcdUrl } from '../domain/addresses.ts';

/**
 * Has the members reach this node's at these URLs. Does nothing when they do already; yields whether it changed them.
 * @throws Fault while etcd does not answer
 */
export type UpdatePeerUrls = (peerUrls: readonly string[], signal: AbortSignal) => Promise<boolean>;

/**
 * The other members find this one where it is now. Nothing is asked of etcd before there is a quorum, as only then it can
 * be changed. Source: Talos v1.14: etcd.AdvertisedPeerController.
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
      if (isChanged)
        pass.log.info({ peerUrls: wanted }, 'the other members of etcd know where this one is now');
    },
  };
}
