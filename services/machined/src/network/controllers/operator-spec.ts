import { serviceIds } from '@nodewright/contract';
import { type Controller, type ReconcilePass, shared, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { addressSpecs, linkStatuses, operatorSpecs, services } from '@nodewright/state/kinds';
import { addressId } from '../domain/network-ids.ts';
import { isElected, obstacleToOwnership, virtualAddressSpec } from '../domain/virtual-address.ts';
import type { VirtualAddresses, WantedAddress } from '../host/virtual-addresses.ts';
import { inLayers } from './network-config.ts';

export interface OperatorSpecInit {
  /** What competes for virtual addresses; on a node that cannot have any, the reason. */
  readonly virtual: VirtualAddresses | string;
  /** Whether the node runs a kubelet, which then must run for the node to have a virtual address. */
  readonly hasKubelet: boolean;
}

/**
 * Runs the operators of virtual addresses, and publishes the addresses that this node has. Those of DHCP are not implemented.
 * Source: Talos v1.14: network.OperatorSpecController.
 */
export function createOperatorSpecController({ virtual, hasKubelet }: OperatorSpecInit): Controller {
  const said = new Map<string, string>();
  /** One line for each change of what this node does about an address. */
  const say = (key: string, line: string, write: (line: string) => void) => {
    if (said.get(key) === line) return;
    said.set(key, line);
    write(line);
  };
  return {
    name: 'network.OperatorSpecController',
    inputs: [weak(operatorSpecs), weak(linkStatuses), weak(services)],
    outputs: [shared(addressSpecs)],
    open(source, scope) {
      if (typeof virtual !== 'string') scope.use(virtual.watch(() => source.wake()));
    },
    async reconcile(pass) {
      const refuse = (ip: string, reason: string) =>
        say(ip, `this node does not take the virtual address ${ip}: ${reason}`, (line) =>
          pass.log.warn(line),
        );
      const operators = (await pass.list(operatorSpecs)).map(({ spec }) => spec);
      const vips = operators.filter(({ operator }) => operator === 'vip');
      const elected = vips.filter(isElected);
      for (const { vip } of vips.filter((spec) => !isElected(spec)))
        refuse(vip.ip, 'moving it by the API of a cloud is not implemented');
      if (typeof virtual === 'string') {
        for (const { vip } of elected) refuse(vip.ip, virtual);
        return;
      }
      const wanted = await Promise.all(
        elected.map(({ vip, linkName }) => wantedAddress(pass, { ip: vip.ip, linkName, hasKubelet })),
      );
      for (const { ip, linkName, obstacle } of wanted) {
        const place = `${ip} on ${linkName}`;
        const line =
          obstacle === undefined
            ? `this node competes for the virtual address ${place}`
            : `this node does not compete (${obstacle}) for the virtual address ${place}`;
        say(`${linkName}/${ip}`, line, (text) => pass.log.info(text));
      }
      virtual.adopt(wanted);
      await pass.replace(
        inLayers(addressSpecs),
        virtual.owned().map((owned) => {
          const spec = virtualAddressSpec(owned);
          return { id: `vip/${owned.linkName}/${addressId(owned.linkName, spec.address)}`, spec };
        }),
      );
    },
  };
}

async function wantedAddress(
  pass: ReconcilePass,
  { ip, linkName, hasKubelet }: { ip: string; linkName: string; hasKubelet: boolean },
): Promise<WantedAddress> {
  const service = async (id: string) => (await pass.get(pointerTo(services, id)))?.spec;
  const obstacle = obstacleToOwnership({
    link: (await pass.get(pointerTo(linkStatuses, linkName)))?.spec,
    etcd: await service(serviceIds.etcd),
    kubelet: hasKubelet ? await service(serviceIds.kubelet) : 'none',
  });
  return { ip, linkName, obstacle };
}
