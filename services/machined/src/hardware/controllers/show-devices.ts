import type { BlockDevice } from '@nodewright/linux';
import type { BlockDeviceSpec } from '@nodewright/state/kinds';

/** What was last shown of each device, by name. */
export type ShownDevices = ReadonlyMap<string, BlockDeviceSpec>;

/**
 * The current devices. The generation of a device increases after an event, or when another device has its
 * name.
 *
 * @param shown the result of the last call
 * @param events names of the devices with an event since then; undefined: any device may have had one
 */
export function showDevices(
  shown: ShownDevices,
  devices: readonly BlockDevice[],
  events: ReadonlySet<string> | undefined,
): ShownDevices {
  return new Map(
    devices.map((device) => {
      const [before, now] = [shown.get(device.name), specOf(device)];
      const isAsBefore =
        before !== undefined &&
        events !== undefined &&
        !events.has(device.name) &&
        JSON.stringify({ ...before, generation: 0 }) === JSON.stringify(now);
      return [device.name, isAsBefore ? before : { ...now, generation: (before?.generation ?? 0) + 1 }];
    }),
  );
}

function specOf(device: BlockDevice): BlockDeviceSpec {
  return {
    type: device.type,
    major: device.major,
    minor: device.minor,
    partitionName: device.partitionName,
    partitionNumber: device.partitionNumber,
    devicePath: device.sysPath,
    generation: 0,
    parent: device.parent,
    secondaries: device.secondaries,
  };
}
