import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pciDevices, services } from '@nodewright/state/kinds';
import { hex, pciNames } from '../domain/pci-names.ts';
import type { DeviceSource } from '../host/device-source.ts';
import { isUdevdDone } from './udevd-gate.ts';

export interface PciDevicesInit {
  readonly source: DeviceSource;
  /** The list of device names; undefined when it is not installed. */
  readonly readPciIds: () => Buffer | undefined;
  /** Whether udevd is one of the node's services: it binds the drivers. */
  readonly hasUdevd: boolean;
}

/** The PCI devices. Source: Talos v1.14: hardware.PCIDevicesController. */
export function pciDevicesController(init: PciDevicesInit): Controller {
  const { source, readPciIds, hasUdevd } = init;
  return {
    name: 'hardware.PCIDevicesController',
    inputs: [weak(services, 'udevd')],
    outputs: [exclusive(pciDevices)],
    open(events, scope) {
      scope.use(source.listen('pci', () => events.wake()));
    },
    async reconcile(pass) {
      const devices = source.pci();
      if (devices === undefined || !(await isUdevdDone(pass, hasUdevd))) return;
      // Not cached: the list is long and usually needed only once.
      const ids = devices.length === 0 ? undefined : readPciIds();
      await pass.replace(
        pciDevices,
        devices.map((device) => ({
          id: device.address,
          spec: {
            ...pciNames(ids, device),
            class_id: `0x${hex(device.classId, 2)}`,
            subclass_id: `0x${hex(device.subclassId, 2)}`,
            vendor_id: `0x${hex(device.vendorId, 4)}`,
            product_id: `0x${hex(device.productId, 4)}`,
            driver: device.driver,
          },
        })),
      );
    },
  };
}
