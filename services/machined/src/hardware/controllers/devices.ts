import { type Controller, exclusive } from '@nodewright/controllers';
import { blockDevices } from '@nodewright/state/kinds';
import type { DeviceSource } from '../host/device-source.ts';
import { type ShownDevices, showDevices } from './show-devices.ts';

/**
 * The block devices of the kernel. A write to a device, which changes its contents, is not visible here: the
 * generation of a device increases with kernel events only. Source: Talos v1.14: block.DevicesController.
 */
export function devicesController(source: DeviceSource): Controller {
  let shown: ShownDevices = new Map();
  let namesInNews: Set<string> | undefined;
  return {
    name: 'block.DevicesController',
    inputs: [],
    outputs: [exclusive(blockDevices)],
    open(events, scope) {
      namesInNews = undefined;
      scope.use(
        source.listen('block', (event) => {
          // udevd sends each event of the kernel once more.
          if (event?.isProcessed === true) return;
          if (event === undefined) namesInNews = undefined;
          else namesInNews?.add(event.name);
          events.wake();
        }),
      );
    },
    async reconcile(pass) {
      const inventory = source.block();
      if (inventory === undefined) return;
      const names = namesInNews;
      // Reset before the write, so that events during it cause one more pass that counts them.
      namesInNews = new Set();
      shown = showDevices(shown, inventory.devices, names);
      await pass.replace(
        blockDevices,
        [...shown].map(([id, spec]) => ({ id, spec })),
      );
    },
  };
}
