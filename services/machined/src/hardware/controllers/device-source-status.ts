import { type Controller, exclusive } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { deviceSourceStatuses } from '@nodewright/state/kinds';
import type { DeviceSource } from '../host/device-source.ts';

/** Shows whether the devices of the node are followed: while they are not, all that is known of them is the last state. */
export function deviceSourceStatusController(source: DeviceSource): Controller {
  return {
    name: 'hardware.DeviceSourceStatusController',
    inputs: [],
    outputs: [exclusive(deviceSourceStatuses)],
    open(events, scope) {
      scope.use(source.watchState(() => events.wake()));
    },
    async reconcile(pass) {
      const { isConnected, mode, reason, problem, gaps } = source.state();
      await pass.put({
        ...pointerTo(deviceSourceStatuses),
        spec: { connected: isConnected, mode, reason, problem, gaps },
      });
    },
  };
}
