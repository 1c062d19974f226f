import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text, unlessEmpty } from '../../spec/field-types.ts';

/** PCI devices by address, such as `0000:00:1f.2`. */
export const pciDevices = defineKind({
  type: 'PCIDevices.hardware.talos.dev',
  defaultNamespace: 'hardware',
  aliases: ['devices', 'device'],
  printColumns: {
    Class: '{.class}',
    Subclass: '{.subclass}',
    Vendor: '{.vendor}',
    Product: '{.product}',
  },
  spec: {
    /** Name from the PCI ID database. */
    class: unlessEmpty(1, text),
    subclass: unlessEmpty(2, text),
    vendor: unlessEmpty(3, text),
    product: unlessEmpty(4, text),
    /** Hexadecimal, such as `0x02`. */
    class_id: field(5, text),
    /** Hexadecimal, such as `0x02`. */
    subclass_id: field(6, text),
    /** Hexadecimal, such as `0x1af4`. */
    vendor_id: field(7, text),
    /** Hexadecimal, such as `0x1af4`. */
    product_id: field(8, text),
    driver: unlessEmpty(9, text),
  },
});
export type PciDeviceSpec = SpecOf<typeof pciDevices>;

/** Desired drivers of PCI devices, by PCI address. */
export const pciDriverRebindConfigs = defineKind({
  type: 'PCIDriverRebindConfigs.runtime.talos.dev',
  defaultNamespace: 'hardware',
  printColumns: {
    Name: '{.name}',
    'PCI ID': '{.pciID}',
    TargetDriver: '{.targetDriver}',
  },
  spec: {
    /** PCI address of the device. */
    pciID: field(1, text),
    /** Driver to bind to the device. */
    targetDriver: field(2, text),
  },
});
export type PciDriverRebindConfigSpec = SpecOf<typeof pciDriverRebindConfigs>;

/** Drivers that were bound to PCI devices, by PCI address. */
export const pciDriverRebindStatuses = defineKind({
  type: 'PCIDriverRebindStatuses.runtime.talos.dev',
  defaultNamespace: 'hardware',
  aliases: ['pcidriverrebinds'],
  printColumns: {
    Name: '{.name}',
    'PCI ID': '{.pciID}',
    TargetDriver: '{.targetDriver}',
  },
  spec: {
    /** PCI address of the device. */
    pciID: field(1, text),
    targetDriver: field(2, text),
  },
});
export type PciDriverRebindStatusSpec = SpecOf<typeof pciDriverRebindStatuses>;
