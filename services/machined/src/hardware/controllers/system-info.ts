import { type Controller, exclusive, weak } from '@nodewright/controllers';
import { pointerTo } from '@nodewright/state';
import { memoryModules, metaKeys, metaLoads, processors, systemInformations } from '@nodewright/state/kinds';
import type { DeviceSource } from '../host/device-source.ts';
import { memoryModulesOf, processorsOf, systemInformationOf } from './system-information.ts';

/** The META key of a UUID that replaces that of the machine. Source: Talos v1.14: META tags. */
const uuidTag = '0x0f';

export interface SystemInfoInit {
  readonly source: Pick<DeviceSource, 'firmware' | 'watchState'>;
  /** Total memory, in KiB. */
  readonly memoryKiB: () => number;
}

/**
 * Facts from the firmware, published once META and they have been read. They do not change until the next boot. Source:
 * Talos v1.14: hardware.SystemInfoController.
 */
export function systemInfoController({ source, memoryKiB }: SystemInfoInit): Controller {
  return {
    name: 'hardware.SystemInfoController',
    inputs: [weak(metaKeys), weak(metaLoads, metaLoads.singleton)],
    outputs: [exclusive(systemInformations), exclusive(processors), exclusive(memoryModules)],
    open(events, scope) {
      // It is read when the source is reached.
      scope.use(source.watchState(() => events.wake()));
    },
    async reconcile(pass) {
      const loaded = await pass.get(pointerTo(metaLoads));
      if (loaded?.spec.done !== true) return;
      const smbios = source.firmware();
      if (smbios === undefined) return;
      const givenUuid = (await pass.get(pointerTo(metaKeys, uuidTag)))?.spec.value ?? '';
      const system = systemInformationOf(smbios, givenUuid);
      await pass.replace(
        systemInformations,
        system === undefined ? [] : [{ id: systemInformations.singleton, spec: system }],
      );
      await pass.replace(processors, processorsOf(smbios));
      await pass.replace(memoryModules, memoryModulesOf(smbios, memoryKiB()));
    },
  };
}
