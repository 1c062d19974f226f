import { readFileSync } from 'node:fs';
import { type NativeCalls, parseMounts, readBlockDevices, readDisks } from '@nodewright/linux';
import type { Logger } from '@nodewright/telemetry';
import { type DeviceFacts, type DeviceWipeWish, planDeviceWipes } from '../domain/plan-device-wipes.ts';
import { createBlockPort } from './block-port.ts';
import { dropPartition, type TableEntry } from './drop-partition.ts';
import type { MachineVolumes } from './machine-volumes.ts';
import { Turns } from './turns.ts';
import { wipeDevices } from './wipe-devices.ts';

/** The disks and partitions of a machine. */
export interface MachineDisks {
  /**
   * Wipes devices that nothing uses. Nothing is changed unless all of them may be wiped.
   *
   * @throws Fault
   */
  wipe(
    wishes: readonly DeviceWipeWish[],
    volumes: DeviceFacts['volumes'],
    signal: AbortSignal,
    /** Called when all of them may be wiped, before the first one is. */
    onStart: () => void,
  ): Promise<void>;
}

/** @param volumes those of the machine: only they change partition tables then */
export function openMachineDisks(
  calls: NativeCalls,
  volumes: Pick<MachineVolumes, 'systemDisk' | 'dropPartition' | 'volumesElsewhere'> | undefined,
  log: Logger,
): MachineDisks {
  const port = createBlockPort(calls);
  const turns = new Turns();
  const dropEntry = (entry: TableEntry, forget: () => Promise<void>) => {
    if (volumes !== undefined) return volumes.dropPartition(entry, forget);
    // A table is read and written as a whole, so two calls must not do that at once.
    return turns.run(() => dropPartition(port, entry, forget));
  };
  return {
    async wipe(wishes, known, signal, onStart) {
      const mounts = parseMounts(readFileSync('/proc/self/mounts', 'utf8'));
      const facts = {
        ...{ devices: readBlockDevices(), disks: readDisks(), mounts },
        // Without a configuration they are recorded, and no volumes yet.
        volumes: [...known, ...((await volumes?.volumesElsewhere()) ?? [])],
        systemDisk: volumes?.systemDisk,
      };
      const wipes = planDeviceWipes(wishes, facts);
      log.warn({ devices: wipes.map(({ path }) => path) }, 'block devices are wiped');
      onStart();
      await wipeDevices({ port, dropEntry }, wipes, signal);
    },
  };
}
