import { type Controller, exclusive } from '@nodewright/controllers';
import { parseCpuinfo } from '@nodewright/linux';
import { cpuCores } from '@nodewright/state/kinds';
import type { ReadIfThere } from '../../base/domain/read-if-there.ts';
import type { DeviceSource } from '../host/device-source.ts';
import { cpuCoresOf } from './cpu-cores.ts';

/**
 * The cores of the machine, which may go online and offline. Source: Talos v1.14: hardware.CPUInfoController.
 */
export function cpuInfoController(read: ReadIfThere, source: DeviceSource): Controller {
  return {
    name: 'hardware.CPUInfoController',
    inputs: [],
    outputs: [exclusive(cpuCores)],
    open(events, scope) {
      scope.use(source.listen('cpu', () => events.wake()));
    },
    async reconcile(pass) {
      await pass.replace(cpuCores, cpuCoresOf(parseCpuinfo(read('/proc/cpuinfo')?.toString() ?? '')));
    },
  };
}
