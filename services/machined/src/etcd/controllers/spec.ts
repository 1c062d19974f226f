import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import {
  type EtcdSpecSpec,
  etcdConfigs,
  etcdSpecs,
  hostnameStatuses,
  nodeAddresses,
} from '@nodewright/state/kinds';
import { advertisedAddresses, listenAddresses } from '../domain/addresses.ts';

/**
 * Publishes the settings that etcd starts with. It changes nothing while the node has no address to advertise
 * or to listen on, or while its name or addresses are temporarily unknown.
 *
 * @param own the node's addresses; set when other nodes share the host
 *
 * Source: Talos v1.14: etcd.SpecController.
 */
export function createEtcdSpecController(own: readonly string[] | undefined): Controller {
  return {
    name: 'etcd.SpecController',
    inputs: [
      weak(etcdConfigs),
      weak(hostnameStatuses),
      weak(nodeAddresses, 'current-no-k8s'),
      weak(nodeAddresses, 'routed-no-k8s'),
    ],
    outputs: [exclusive(etcdSpecs)],
    async reconcile(pass) {
      const config = (await pass.get(pointerTo(etcdConfigs)))?.spec;
      if (config === undefined) return pass.replace(etcdSpecs, []);
      const name = (await pass.get(pointerTo(hostnameStatuses)))?.spec.hostname ?? '';
      const current = await addressesOf(pass, 'current-no-k8s');
      const routed = await addressesOf(pass, 'routed-no-k8s');
      if (name === '' || current === undefined || routed === undefined) return;

      const advertised = advertisedAddresses(config, { current, routed });
      const listen = listenAddresses(config, { current, routed }, own);
      if (advertised.length === 0 || listen.peer.length === 0) return;
      const spec: EtcdSpecSpec = {
        name,
        advertisedAddresses: advertised,
        listenPeerAddresses: listen.peer,
        listenClientAddresses: listen.client,
        image: config.image,
        extraArgs: config.extraArgs,
      };
      await pass.replace(etcdSpecs, [{ id: 'etcd', spec }]);
    },
  };
}

async function addressesOf(pass: ReconcilePass, id: string): Promise<readonly string[] | undefined> {
  return (await pass.get(pointerTo(nodeAddresses, id)))?.spec.addresses;
}
