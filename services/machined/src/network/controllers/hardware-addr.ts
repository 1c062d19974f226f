import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { hardwareAddresses, linkStatuses } from '@nodewright/state/kinds';

/**
 * The hardware address of the first physical link, by name. Source: Talos v1.14:
 * network.HardwareAddrController.
 */
export function createHardwareAddrController(): Controller {
  return {
    name: 'network.HardwareAddrController',
    inputs: [weak(linkStatuses)],
    outputs: [exclusive(hardwareAddresses)],
    async reconcile(pass) {
      const links = await pass.list(linkStatuses);
      const first = links.find(
        ({ spec }) => spec.type === 'ether' && spec.kind === '' && spec.hardwareAddr !== '',
      );
      await pass.replace(
        hardwareAddresses,
        first === undefined
          ? []
          : [
              {
                id: hardwareAddresses.singleton,
                spec: { name: first.metadata.id, hardwareAddr: first.spec.hardwareAddr },
              },
            ],
      );
    },
  };
}
