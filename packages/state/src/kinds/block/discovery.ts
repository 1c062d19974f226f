import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, int, text, uint, uint32, uint64, unlessEmpty } from '../../spec/field-types.ts';

/** What is on block devices, by the kernel's name for them. */
export const discoveredVolumes = defineKind({
  type: 'DiscoveredVolumes.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Type: '{.type}',
    Size: '{.pretty_size}',
    Discovered: '{.name}',
    Label: '{.label}',
    PartitionLabel: '{.partition_label}',
  },
  spec: {
    /** /dev path. */
    dev_path: field(17, text),
    /** `disk`/`partition`. */
    type: field(14, text),
    /** Sysfs path. */
    device_path: field(15, text),
    /** Parent id. */
    parent: unlessEmpty(16, text),
    /** /dev path of parent. */
    parent_dev_path: unlessEmpty(18, text),
    /** Byte offset inside parent. */
    offset: field(20, uint64),
    /** Bytes. */
    size: field(1, uint64),
    /** Decimal humanized size such as `10 GB`. */
    pretty_size: field(19, text),
    /** Bytes. */
    sector_size: unlessEmpty(2, uint),
    /** Optimal I/O bytes. */
    io_size: unlessEmpty(3, uint),
    /** Blkid probe name (`gpt`,`xfs`,`vfat`,`luks`,`talosmeta`,…), empty when unknown. */
    name: field(4, text),
    /** Probed fs/table UUID. */
    uuid: unlessEmpty(5, text),
    /** Probed fs label. */
    label: unlessEmpty(6, text),
    /** Superblock block size. */
    block_size: unlessEmpty(7, uint32),
    /** Fs block size. */
    filesystem_block_size: unlessEmpty(8, uint32),
    /** Size reported by superblock. */
    probed_size: unlessEmpty(9, uint64),
    /** GPT partition GUID. */
    partition_uuid: unlessEmpty(10, text),
    /** GPT type GUID. */
    partition_type: unlessEmpty(11, text),
    /** GPT partition label (`EFI`,`META`,`STATE`,`EPHEMERAL`,`u-…`). */
    partition_label: unlessEmpty(12, text),
    /** 1-based index. */
    partition_index: unlessEmpty(13, uint),
  },
});
export type DiscoveredVolumeSpec = SpecOf<typeof discoveredVolumes>;

/** `refresh`: counted up to have all devices looked at again. */
export const discoveryRefreshRequests = defineKind({
  type: 'DiscoveryRefreshRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Monotonic request counter. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshRequestSpec = SpecOf<typeof discoveryRefreshRequests>;

/** `refresh`: up to which request that is done. */
export const discoveryRefreshStatuses = defineKind({
  type: 'DiscoveryRefreshStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Last counter acknowledged by the scanner. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshStatusSpec = SpecOf<typeof discoveryRefreshStatuses>;
