// The partitions of a disk that a machine starts from, as a disk image and an installation make them.
import { type Partition, partitionTypes, sectorBytes } from './partition-table.ts';

const sectorsPerMib = (1 << 20) / sectorBytes;
/** Marks the partition that a BIOS boots. */
const legacyBootable = 1n << 2n;

/** In their order, with their usual sizes in MiB. Source: Talos v1.14: partitions. */
export const systemLayout = [
  { label: 'EFI', type: partitionTypes.efiSystem, mib: 512 },
  { label: 'BIOS', type: partitionTypes.biosBoot, mib: 1, attributes: legacyBootable },
  { label: 'BOOT', type: partitionTypes.linux, mib: 1024 },
  { label: 'META', type: partitionTypes.linux, mib: 1 },
  { label: 'IMAGECACHE', type: partitionTypes.linux, mib: 64 },
] as const;

export type SystemPartitionLabel = (typeof systemLayout)[number]['label'];
export type SystemPartition = Partition & { readonly label: SystemPartitionLabel };

/** Sizes of partitions that differ from the usual ones, in MiB. */
export type SystemPartitionSizes = Readonly<Partial<Record<SystemPartitionLabel, number>>>;

/**
 * The partitions with their places. The first one begins at 1 MiB, and each one follows the one before it.
 *
 * @param guidOf the GUID of a partition
 */
export function placedSystemPartitions(
  guidOf: (label: SystemPartitionLabel) => string,
  sizes: SystemPartitionSizes = {},
): SystemPartition[] {
  let next = sectorsPerMib;
  return systemLayout.map((row, index) => {
    const { label, type } = row;
    const first = next;
    next += (sizes[label] ?? row.mib) * sectorsPerMib;
    return {
      ...{ number: index + 1, type, label, guid: guidOf(label), first, last: next - 1 },
      ...('attributes' in row ? { attributes: row.attributes } : {}),
    };
  });
}
