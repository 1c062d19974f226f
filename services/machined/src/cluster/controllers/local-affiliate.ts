import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type AffiliateSpec,
  affiliates,
  apiServerConfigs,
  hostnameStatuses,
  identities,
  machineTypes,
  nodeAddresses,
  nodenames,
  operatorSpecs,
} from '@nodewright/state/kinds';
import { addressOf } from '../../base/domain/prefix.ts';
import { localAffiliate } from '../domain/affiliates.ts';
import { canonicalAddress } from '../domain/canonical-address.ts';
import { declaredVirtualAddresses } from './virtual-addresses.ts';

/**
 * The address sets of `NodeAddresses`, in order of preference: first those that other nodes can reach,
 * without the addresses that Kubernetes has added. The first set that is not empty is used.
 */
const addressSets = ['routed-no-k8s', 'current-no-k8s', 'current'];

/**
 * Writes the affiliate of this node itself, from its resources. It has no virtual addresses: they move to other nodes, and calls to them
 * must not be mistaken for calls to this node.
 */
export function localAffiliateController(): Controller {
  return {
    name: 'cluster.LocalAffiliateController',
    inputs: [
      weak(identities, identities.singleton),
      weak(hostnameStatuses, hostnameStatuses.singleton),
      weak(nodenames, nodenames.singleton),
      weak(nodeAddresses),
      weak(operatorSpecs),
      weak(machineTypes, machineTypes.singleton),
      weak(apiServerConfigs, 'final-kube-apiserver'),
    ],
    outputs: [shared(affiliates)],
    async reconcile(pass) {
      const spec = await affiliateOf(pass);
      await pass.replace(affiliates, spec === undefined ? [] : [{ id: spec.nodeId, spec }]);
    },
  };
}

async function affiliateOf(pass: ReconcilePass): Promise<AffiliateSpec | undefined> {
  const [identity, hostname, nodename, machineType, apiServer] = await Promise.all([
    pass.get(pointerTo(identities)),
    pass.get(pointerTo(hostnameStatuses)),
    pass.get(pointerTo(nodenames)),
    pass.get(pointerTo(machineTypes)),
    pass.get(pointerTo(apiServerConfigs, 'final-kube-apiserver')),
  ]);
  if (identity === undefined || hostname === undefined || machineType === undefined) return undefined;
  return localAffiliate({
    nodeId: identity.spec.nodeId,
    hostname: hostname.spec,
    nodename: nodename?.spec.nodename,
    machineType: machineType.spec,
    addresses: await addressesOf(pass),
    apiServerPort: apiServer?.spec.localPort,
  });
}

async function addressesOf(pass: ReconcilePass): Promise<readonly string[]> {
  const virtual = await declaredVirtualAddresses(pass);
  const isVirtual = (text: string) => virtual.has(canonicalAddress(addressOf(text)) ?? '');
  for (const id of addressSets) {
    const { addresses = [] } = (await pass.get(pointerTo(nodeAddresses, id)))?.spec ?? {};
    const own = addresses.filter((text) => !isVirtual(text));
    if (own.length > 0) return own;
  }
  return [];
}
