import { type Controller, exclusive, weak } from '@nodewright/controllers';
import type { PciDevice } from '@nodewright/linux';
import { pciDevices, services } from '@nodewright/state/kinds';
import { hex, pciNames } from '../domain/pci-names.ts';
import { deviceChanges, type OpenDeviceEvents } from './device-changes.ts';
import { isUdevdDone } from './udevd-gate.ts';

export interface PciDevicesInit {
  readonly readPciDevices: () => readonly PciDevice[];
  /** The list of device names; undefined when it is not installed. */
  readonly readPciIds: () => Buffer | undefined;
  /** Whether udevd is one of the node's services: it binds the drivers. */
  readonly hasUdevd: boolean;
  readonly events: OpenDeviceEvents;
}

/** The PCI devices. Source: Talos v1.14: hardware.PCIDevicesController. */
export function pciDevicesController(init: PciDevicesInit): Controller {
  const { readPciDevices, readPciIds, hasUdevd, events } = init;
  const changes = deviceChanges(events, 'pci');
  return {
    name: 'hardware.PCIDevicesController',
    inputs: [weak(services, 'udevd')],
    outputs: [exclusive(pciDevices)],
    open: changes.open,
    async reconcile(pass) {
      if (!(await isUdevdDone(pass, hasUdevd))) return;
      const delayMs = changes.lookAgainMs();
      if (delayMs !== undefined) pass.wakeAfter(delayMs);
      const devices = readPciDevices();
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
