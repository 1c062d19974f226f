import type { ConformanceRows } from './conformance-rows.ts';

/** Test rows for expressions that select volumes. */
export const volumeRows: ConformanceRows = [
  ["volume.partition_label == 'META' && volume.name in ['', 'talosmeta'] && volume.size == 1048576u", 'bool'],
  ["volume.size > 1u * GiB && disk.transport == 'nvme'", 'bool'],
  ['volume.partition_index == 1u', 'bool'],
  ['volume.block_size == 4096u || volume.filesystem_block_size == 4096u', 'bool'],
  ["volume.type == 'partition' && volume.parent.startsWith('sd')", 'bool'],
  ['volume.offset + volume.probed_size <= volume.size', 'bool'],
  [
    'volume.partition_index == 1',
    "! 1:24: found no matching overload for '_==_' applied to '(uint, int)': number types cannot be mixed: an unsigned number ends in u, as in 120u",
  ],
  ['volume.label == 1', "! 1:14: found no matching overload for '_==_' applied to '(string, int)'"],
  [
    "volume.symlinks[0] == 'a'",
    '! 1:7: undefined field "symlinks": the fields are size, sector_size, io_size, name, uuid, label, block_size, filesystem_block_size, probed_size, partition_uuid, partition_type, partition_label, partition_index, type, device_path, parent, dev_path, parent_dev_path, pretty_size, offset',
  ],
  ['system_disk', '! 1:1: undeclared reference to "system_disk"'],
  ["glob('a', volume.name)", '! 1:5: undeclared reference to "glob"'],
  ['volume.size', 'uint'],
];
