import { type Controller, exclusive } from '@nodewright/controllers';
import type { BlockDevice } from '@nodewright/linux';
import { blockDevices } from '@nodewright/state/kinds';
import { deviceChanges, type OpenDeviceEvents } from './device-changes.ts';
import { type ShownDevices, showDevices } from './show-devices.ts';

/**
 * The block devices of the kernel. A write to a device, which changes its contents, is not visible here: the
 * generation of a device increases with kernel events only. Source: Talos v1.14: block.DevicesController.
 */
export function devicesController(
  readBlockDevices: () => readonly BlockDevice[],
  events: OpenDeviceEvents,
): Controller {
  let shown: ShownDevices = new Map();
  let namesInNews: Set<string> | undefined;
  const changes = deviceChanges(events, 'block', (event) => {
    if (event === undefined) namesInNews = undefined;
    else namesInNews?.add(event.devicePath.slice(event.devicePath.lastIndexOf('/') + 1));
  });
  return {
    name: 'block.DevicesController',
    inputs: [],
    outputs: [exclusive(blockDevices)],
    open: changes.open,
    async reconcile(pass) {
      const delayMs = changes.lookAgainMs();
      if (delayMs !== undefined) pass.wakeAfter(delayMs);
      const names = namesInNews;
      // Reset before the read, so that events during the read cause one more pass that counts them.
      namesInNews = new Set();
      shown = showDevices(shown, readBlockDevices(), names);
      await pass.replace(
        blockDevices,
        [...shown].map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}
