import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, int, text, uint, uint32, uint64, unlessEmpty } from '../../spec/field-types.ts';

/** Detected contents of block devices, by device name. */
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
    /** Device path below `/dev`. */
    dev_path: field(17, text),
    /** `disk`/`partition`. */
    type: field(14, text),
    /** Path below `/sys`. */
    device_path: field(15, text),
    parent: unlessEmpty(16, text),
    /** Path of the parent below `/dev`. */
    parent_dev_path: unlessEmpty(18, text),
    /** Offset in the parent, in bytes. */
    offset: field(20, uint64),
    /** Bytes. */
    size: field(1, uint64),
    /** Human-readable size with a decimal unit. */
    pretty_size: field(19, text),
    /** Bytes. */
    sector_size: unlessEmpty(2, uint),
    /** Optimal I/O size in bytes. */
    io_size: unlessEmpty(3, uint),
    /** Detected content, such as `gpt`, `xfs` or `luks`; empty when unknown. */
    name: field(4, text),
    /** UUID of the file system or partition table. */
    uuid: unlessEmpty(5, text),
    /** Label of the file system. */
    label: unlessEmpty(6, text),
    block_size: unlessEmpty(7, uint32),
    filesystem_block_size: unlessEmpty(8, uint32),
    /** Size according to the superblock, in bytes. */
    probed_size: unlessEmpty(9, uint64),
    /** UUID of the partition. */
    partition_uuid: unlessEmpty(10, text),
    /** Type UUID of the partition. */
    partition_type: unlessEmpty(11, text),
    /** Label of the partition, such as `EPHEMERAL`. */
    partition_label: unlessEmpty(12, text),
    /** Partition number, from 1. */
    partition_index: unlessEmpty(13, uint),
  },
});
export type DiscoveredVolumeSpec = SpecOf<typeof discoveredVolumes>;

/** Requests a new scan of all devices when its counter increases. */
export const discoveryRefreshRequests = defineKind({
  type: 'DiscoveryRefreshRequests.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Number of the latest request. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshRequestSpec = SpecOf<typeof discoveryRefreshRequests>;

/** The latest scan request that was completed. */
export const discoveryRefreshStatuses = defineKind({
  type: 'DiscoveryRefreshStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'refresh',
  printColumns: {
    Request: '{.request}',
  },
  spec: {
    /** Number of the last completed request. */
    request: field(1, int),
  },
});
export type DiscoveryRefreshStatusSpec = SpecOf<typeof discoveryRefreshStatuses>;

/**
 * Whether all devices were scanned. Nodes do not register this kind, so the API rejects it and it has no
 * aliases. Source: Talos v1.14: COSI resources, meta types.
 */
export const discoveredVolumesStatuses = defineKind({
  type: 'DiscoveredVolumesStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'discovered-volumes-status',
  spec: { ready: field(1, bool) },
});
export type DiscoveredVolumesStatusSpec = SpecOf<typeof discoveredVolumesStatuses>;
