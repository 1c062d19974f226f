// The contents of block devices as far as the kernel and udev know them, or as a machine without udev has read them.
import { volumeIds } from '@nodewright/contract/volumes';
import type { BlockDevice } from '@nodewright/linux';
import type { DiscoveredVolumeSpec, SystemDiskSpec } from '@nodewright/state/kinds';
import { decimalSize } from '../../base/domain/decimal-size.ts';

/** Upstream's terms for names that udev spells differently. */
const probeNames: Readonly<Record<string, string>> = {
  ext2: 'extfs',
  ext3: 'extfs',
  ext4: 'extfs',
  LVM2_member: 'lvm2-pv',
  crypto_LUKS: 'luks',
  zfs_member: 'zfs',
  ceph_bluestore: 'bluestore',
};

/**
 * A device as a volume. Without a record its contents are unknown.
 *
 * @param record the properties of the device, named as udev does
 * @param sectorSizes of its disk
 */
export function discoveredVolumeSpec(
  device: BlockDevice,
  record: ReadonlyMap<string, string>,
  { sectorBytes, ioBytes }: { readonly sectorBytes: number; readonly ioBytes: number },
): DiscoveredVolumeSpec {
  const text = (key: string) => record.get(key) ?? '';
  const number = (key: string) => Number(/^\d{1,15}$/.exec(text(key))?.[0] ?? 0);
  const isTable = device.type === 'disk' && text('ID_PART_TABLE_TYPE') === 'gpt' && text('ID_FS_TYPE') === '';
  return {
    dev_path: `/dev/${device.name}`,
    type: device.type,
    device_path: device.sysPath,
    parent: device.parent,
    parent_dev_path: device.parent && `/dev/${device.parent}`,
    offset: device.offsetBytes,
    size: device.sizeBytes,
    pretty_size: decimalSize(device.sizeBytes),
    sector_size: sectorBytes,
    io_size: ioBytes,
    name: isTable ? 'gpt' : (probeNames[text('ID_FS_TYPE')] ?? text('ID_FS_TYPE')),
    uuid: isTable ? text('ID_PART_TABLE_UUID') : text('ID_FS_UUID'),
    label: unescaped(text('ID_FS_LABEL_ENC')) || text('ID_FS_LABEL'),
    block_size: number('BLOCK_SIZE'),
    filesystem_block_size: number('ID_FS_BLOCKSIZE'),
    probed_size: number('ID_FS_SIZE'),
    ...(device.type === 'partition'
      ? {
          partition_uuid: text('ID_PART_ENTRY_UUID'),
          partition_type: text('ID_PART_ENTRY_TYPE'),
          partition_label: device.partitionName || unescaped(text('ID_PART_ENTRY_NAME')),
          partition_index: device.partitionNumber,
        }
      : { partition_uuid: '', partition_type: '', partition_label: '', partition_index: 0 }),
  };
}

/** udev escapes special characters as `\x20`. */
function unescaped(text: string): string {
  if (!text.includes('\\x')) return text;
  const bytes = text.replace(/\\x([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/**
 * The disk with the partition META; undefined when no disk has one. Loop devices do not count.
 *
 * @param used path of the disk whose META the node uses, empty for none; without it the first disk is meant
 */
export function systemDiskOf(
  volumes: readonly Pick<DiscoveredVolumeSpec, 'partition_label' | 'parent' | 'parent_dev_path'>[],
  used?: string,
): SystemDiskSpec | undefined {
  const found = volumes.find(
    ({ partition_label, parent, parent_dev_path }) =>
      partition_label === volumeIds.meta &&
      (used === undefined ? !parent.startsWith('loop') : parent_dev_path === used),
  );
  return found && { diskID: found.parent, devPath: found.parent_dev_path };
}
