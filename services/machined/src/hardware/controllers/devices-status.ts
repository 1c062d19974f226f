import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { devicesStatuses, services } from '@nodewright/state/kinds';

/**
 * Whether all devices of the machine are known: at once without udevd, otherwise when udevd is healthy.
 *
 * @param hasUdevd whether the service is one of this node's
 */
export function devicesStatusController(hasUdevd: boolean): Controller {
  return {
    name: 'runtime.DevicesStatusController',
    inputs: [weak(services, 'udevd')],
    outputs: [exclusive(devicesStatuses)],
    async reconcile(pass) {
      const udevd = hasUdevd ? await pass.get(pointerTo(services, 'udevd')) : undefined;
      const isSettled = !hasUdevd || (udevd?.spec.running === true && udevd.spec.healthy);
      // Devices stay known while udevd restarts.
      if (isSettled) await pass.put({ ...pointerTo(devicesStatuses), spec: { ready: true } });
    },
  };
}
