import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, text, uint64 } from '../../spec/field-types.ts';

/** Where the node's knowledge of its devices comes from. Our own: Talos reads devices in machined itself. */
export const deviceSourceStatuses = defineKind({
  type: 'DeviceSourceStatuses.hardware.nodewright.dev',
  defaultNamespace: 'hardware',
  singleton: 'devices',
  printColumns: {
    Connected: '{.connected}',
    Mode: '{.mode}',
    Problem: '{.problem}',
  },
  spec: {
    /** False: the resources of devices show the last known state. */
    connected: field(1, bool),
    /** `udevd`, or `read-only`; empty before the first connection. */
    mode: field(2, text),
    /** Why the mode is not the other one. */
    reason: field(3, text),
    /** Why devices are not followed; empty while they are. */
    problem: field(4, text),
    /** How often events were missed, and all devices were read again. */
    gaps: field(5, uint64),
  },
});
export type DeviceSourceStatusSpec = SpecOf<typeof deviceSourceStatuses>;
