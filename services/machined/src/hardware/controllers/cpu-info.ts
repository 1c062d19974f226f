import { type Controller, exclusive } from '@nodewright/controllers';
import { parseCpuinfo } from '@nodewright/linux';
import { cpuCores } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import { cpuCoresOf } from './cpu-cores.ts';
import { deviceChanges, type OpenDeviceEvents } from './device-changes.ts';

/**
 * The cores of the machine, which may go online and offline. Source: Talos v1.14: hardware.CPUInfoController.
 */
export function cpuInfoController(read: ReadIfThere, events: OpenDeviceEvents): Controller {
  const changes = deviceChanges(events, 'cpu');
  return {
    name: 'hardware.CPUInfoController',
    inputs: [],
    outputs: [exclusive(cpuCores)],
    open: changes.open,
    async reconcile(pass) {
      const delayMs = changes.lookAgainMs();
      if (delayMs !== undefined) pass.wakeAfter(delayMs);
      await pass.replace(cpuCores, cpuCoresOf(parseCpuinfo(read('/proc/cpuinfo')?.toString() ?? '')));
    },
  };
}
