import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text, unlessEmpty } from '../../spec/field-types.ts';

/** Devices of PCI by address, such as `0000:00:1f.2`. */
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
    /** Name from PCI db. */
    class: unlessEmpty(1, text),
    /** Name. */
    subclass: unlessEmpty(2, text),
    /** Name. */
    vendor: unlessEmpty(3, text),
    /** Name. */
    product: unlessEmpty(4, text),
    /** `0x%02x`. */
    class_id: field(5, text),
    /** `0x%02x`. */
    subclass_id: field(6, text),
    /** `0x%04x`. */
    vendor_id: field(7, text),
    /** `0x%04x`. */
    product_id: field(8, text),
    /** Bound driver. */
    driver: unlessEmpty(9, text),
  },
});
export type PciDeviceSpec = SpecOf<typeof pciDevices>;

/** Which driver devices of PCI should have, by address. */
export const pciDriverRebindConfigs = defineKind({
  type: 'PCIDriverRebindConfigs.runtime.talos.dev',
  defaultNamespace: 'hardware',
  printColumns: {
    Name: '{.name}',
    'PCI ID': '{.pciID}',
    TargetDriver: '{.targetDriver}',
  },
  spec: {
    /** PCI address. */
    pciID: field(1, text),
    /** Driver to bind. */
    targetDriver: field(2, text),
  },
});
export type PciDriverRebindConfigSpec = SpecOf<typeof pciDriverRebindConfigs>;

/** Which driver devices of PCI were given, by address. */
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
    /** PCI address. */
    pciID: field(1, text),
    /** Driver bound. */
    targetDriver: field(2, text),
  },
});
export type PciDriverRebindStatusSpec = SpecOf<typeof pciDriverRebindStatuses>;
