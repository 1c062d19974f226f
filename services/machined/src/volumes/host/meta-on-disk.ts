import { metaMends, metaPartitionBytes, metaWrites, readMeta } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import type { BlockPort } from './block-port.ts';

type Values = ReadonlyMap<number, Uint8Array>;

/**
 * META on its partition. A write that the power cuts leaves the old or the new values.
 *
 * @param device of the partition
 */
export function createMetaOnDisk(port: BlockPort, device: string) {
  const load = () => port.read(device, 0, metaPartitionBytes);
  return {
    /** @throws Fault `data-loss` when no copy of the values is whole */
    async read(): Promise<Values> {
      const partition = await load();
      const values = readMeta(partition);
      if (values === undefined)
        throw new Fault('data-loss', `${device} is damaged: no copy of the META values is whole`);
      await port.write(device, metaMends(partition));
      return values;
    },
    async write(values: Values): Promise<void> {
      // A write that failed, without a loss of power, leaves copies that differ, too.
      await port.write(device, metaMends(await load()));
      await port.write(device, metaWrites(values));
    },
    /** What is damaged cannot be kept on a partition of this size: it is replaced by no values. */
    putAside: (): Promise<void> => port.write(device, metaWrites(new Map())),
  };
}
