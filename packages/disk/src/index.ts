export { type ContentName, contentsHeadBytes, type DiskContents, recogniseContents } from './contents.ts';
export { encodeGuid } from './guid.ts';
export { type MetaEntries, metaMends, metaPartitionBytes, metaWrites, readMeta } from './meta-partition.ts';
export { blankBytes, isBlankDisk, tableCreation } from './new-table.ts';
export {
  type DiskWrite,
  decodeTable,
  encodeTable,
  firstUsable,
  lastUsable,
  type Partition,
  type PartitionTable,
  partitionTypes,
  sectorBytes,
  tableChange,
  tableHeadBytes,
} from './partition-table.ts';
export {
  freeRanges,
  grownEnd,
  placePartition,
  type SectorRange,
  type WantedSize,
} from './place-partition.ts';
export {
  placedSystemPartitions,
  type SystemPartition,
  type SystemPartitionLabel,
  type SystemPartitionSizes,
  systemLayout,
} from './system-layout.ts';
export { tableRestoration, tableTailBytes } from './table-copy.ts';
export { additionProblem } from './table-fit.ts';
export {
  type VerityTree,
  VerityTreeBuilder,
  type VerityTreeInit,
  verityTree,
  verityTreeBytes,
  verityTreeInit,
} from './verity-tree.ts';
