import { setTimeout as sleep } from 'node:timers/promises';
import { sectorBytes } from '@nodewright/disk';
import { Fault, faultFrom } from '@nodewright/fault';
import type { DeviceWipe } from '../domain/plan-device-wipes.ts';
import type { BlockPort, ExclusiveDevice } from './block-port.ts';
import { checkDrop, type TableEntry } from './drop-partition.ts';

export interface WipeDevicesInit {
  readonly port: Pick<BlockPort, 'read' | 'openExclusive' | 'removePartition' | 'announceChange'>;
  /**
   * Deletes an entry of a partition table, and then has the kernel forget the partition. Nothing else may change the table in between: the
   * kernel would take a new partition with this number for the old one.
   */
  readonly dropEntry: (entry: TableEntry, forget: () => Promise<void>) => Promise<void>;
}

/** What one write contains, and what `fast` clears at both ends of a device. */
const zeros = Buffer.alloc(1 << 20);
/** Writes between two waits for the disk, so that a call that ends leaves little to be written. */
const writesPerSync = 64;
/** A device may be open for a moment while its contents are looked at. */
const forgetAttempts = 20;
const forgetPauseMs = 100;

/**
 * Wipes devices. All of them are opened before the first one is changed, and nothing else can use them until they are wiped.
 *
 * @throws Fault `failed-precondition` when one of them is in use or its entry cannot be deleted, `cancelled` when the signal
 * aborts, `internal` when a disk fails
 */
export async function wipeDevices(
  init: WipeDevicesInit,
  wipes: readonly DeviceWipe[],
  signal: AbortSignal,
): Promise<void> {
  const { port, dropEntry } = init;
  const guids = new Map<DeviceWipe, string>();
  for (const wipe of wipes) {
    const { dropped } = wipe;
    if (dropped !== undefined) guids.set(wipe, await checkDrop(port, entryOf(dropped), dropped));
  }
  const touched: DeviceWipe[] = [];
  try {
    await using scope = new AsyncDisposableStack();
    const opened: { readonly wipe: DeviceWipe; readonly device: ExclusiveDevice }[] = [];
    for (const wipe of wipes) opened.push({ wipe, device: scope.use(await openDevice(port, wipe)) });
    for (const { wipe, device } of opened) {
      touched.push(wipe);
      await overwrite(device, wipe, signal);
    }
  } finally {
    for (const { sysPath } of touched) await port.announceChange(sysPath).catch(() => {});
  }
  // The kernel forgets a partition only after everybody has closed it.
  for (const wipe of wipes) {
    const { dropped } = wipe;
    const guid = guids.get(wipe);
    if (dropped !== undefined && guid !== undefined)
      await dropEntry({ ...entryOf(dropped), guid }, () =>
        forgetPartition(port, dropped.disk, dropped.number),
      );
    for (const number of wipe.partitions) await forgetPartition(port, wipe.path, number);
  }
}

const entryOf = ({ disk, diskBytes, number }: NonNullable<DeviceWipe['dropped']>): TableEntry => ({
  ...{ disk, number, sectors: diskBytes / sectorBytes },
});

async function openDevice(
  port: Pick<BlockPort, 'openExclusive'>,
  { path, name }: DeviceWipe,
): Promise<ExclusiveDevice> {
  try {
    return await port.openExclusive(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EBUSY')
      throw new Fault(
        'failed-precondition',
        `block device "${name}" is in use: it is mounted, another device is built on it, or it is being wiped; end that first`,
        { cause: error },
      );
    if (code === 'EROFS' || code === 'EACCES')
      throw new Fault('failed-precondition', `block device "${name}" is read-only`, { cause: error });
    throw failureOf(name, error);
  }
}

async function overwrite(
  device: ExclusiveDevice,
  { name, method, sizeBytes }: DeviceWipe,
  signal: AbortSignal,
): Promise<void> {
  try {
    const isFast = method === 'fast';
    let writes = 0;
    for (let at = 0; at < sizeBytes; at += zeros.length) {
      if (signal.aborted)
        throw new Fault(
          'cancelled',
          `the wipe of block device "${name}" ended at byte ${at} of ${sizeBytes}`,
        );
      await device.write(at, zeros.subarray(0, Math.min(zeros.length, sizeBytes - at)));
      writes += 1;
      if (isFast) break;
      if (writes % writesPerSync === 0) await device.sync();
    }
    if (isFast) {
      const length = Math.min(zeros.length, sizeBytes);
      await device.write(sizeBytes - length, zeros.subarray(0, length));
    }
    await device.sync();
  } catch (error) {
    throw error instanceof Fault ? error : failureOf(name, error);
  }
}

async function forgetPartition(
  port: Pick<BlockPort, 'removePartition'>,
  disk: string,
  number: number,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return port.removePartition(disk, number);
    } catch (error) {
      const { code } = error as { readonly code?: unknown };
      // The kernel did not know it.
      if (code === 'ENXIO') return;
      if (code !== 'EBUSY') throw failureOf(disk, error);
      if (attempt === forgetAttempts)
        throw new Fault(
          'failed-precondition',
          `partition ${number} of ${disk} was wiped, but is open: its device stays until the next start`,
          { cause: error },
        );
      await sleep(forgetPauseMs);
    }
  }
}

const failureOf = (name: string, error: unknown) =>
  new Fault('internal', `block device "${name}": ${faultFrom(error).message}`, { cause: error });
