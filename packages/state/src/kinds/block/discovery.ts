import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, text, uint, uint32, uint64, unlessEmpty } from '../../spec/field-types.ts';

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
    /** Below `/dev`. */
    dev_path: field(17, text),
    /** `disk`/`partition`. */
    type: field(14, text),
    /** In `/sys`. */
    device_path: field(15, text),
    parent: unlessEmpty(16, text),
    /** /dev path of parent. */
    parent_dev_path: unlessEmpty(18, text),
    /** Byte offset inside parent. */
    offset: field(20, uint64),
    /** Bytes. */
    size: field(1, uint64),
    /** With a unit of powers of 1000. */
    pretty_size: field(19, text),
    /** Bytes. */
    sector_size: unlessEmpty(2, uint),
    /** The best size of an access, in bytes. */
    io_size: unlessEmpty(3, uint),
    /** What it is: `gpt`, `xfs`, `luks` and so on; empty: unknown. */
    name: field(4, text),
    /** Of the file system or partition table. */
    uuid: unlessEmpty(5, text),
    /** Of the file system. */
    label: unlessEmpty(6, text),
    block_size: unlessEmpty(7, uint32),
    filesystem_block_size: unlessEmpty(8, uint32),
    /** Size reported by superblock. */
    probed_size: unlessEmpty(9, uint64),
    /** Of the partition. */
    partition_uuid: unlessEmpty(10, text),
    /** The type of the partition. */
    partition_type: unlessEmpty(11, text),
    /** Such as `EPHEMERAL`. */
    partition_label: unlessEmpty(12, text),
    /** From 1. */
    partition_index: unlessEmpty(13, uint),
  },
});
export type DiscoveredVolumeSpec = SpecOf<typeof discoveredVolumes>;

/** Counted up to have all devices looked at again. */
export const discoveryRefreshRequests = defineKind({
  type: 'DiscoveryRefreshRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Monotonic request counter. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshRequestSpec = SpecOf<typeof discoveryRefreshRequests>;

/** Up to which request that is done. */
export const discoveryRefreshStatuses = defineKind({
  type: 'DiscoveryRefreshStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Last counter acknowledged by the scanner. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshStatusSpec = SpecOf<typeof discoveryRefreshStatuses>;

/**
 * Whether all devices were looked at. No node registers it, so the API refuses it and it
 * needs no names. Source: Talos v1.14: COSI resources, meta types.
 */
export const discoveredVolumesStatuses = defineKind({
  type: 'DiscoveredVolumesStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'discovered-volumes-status',
  spec: { ready: field(1, bool) },
});
export type DiscoveredVolumesStatusSpec = SpecOf<typeof discoveredVolumesStatuses>;
