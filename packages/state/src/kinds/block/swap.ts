import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, int32, text, uint64 } from '../../spec/field-types.ts';

/** Swap devices in use, by device path. */
export const swapStatuses = defineKind({
  type: 'SwapStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  aliases: ['swap', 'swaps'],
  printColumns: {
    Device: '{.device}',
    Size: '{.sizeHuman}',
    Used: '{.usedHuman}',
    Priority: '{.priority}',
  },
  spec: {
    device: field(1, text),
    /** `partition`/`file`. */
    type: field(7, text),
    /** Bytes. */
    size: field(2, uint64),
    /** Human-readable size with a binary unit. */
    sizeHuman: field(3, text),
    /** Bytes. */
    used: field(4, uint64),
    /** Human-readable size with a binary unit. */
    usedHuman: field(5, text),
    priority: field(6, int32),
  },
});
export type SwapStatusSpec = SpecOf<typeof swapStatuses>;

/** Statistics of zswap, the compressed cache of swap pages in memory. */
export const zswapStatuses = defineKind({
  type: 'ZswapStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  singleton: 'zswap',
  printColumns: {
    'Total Size': '{.totalSizeHuman}',
    'Stored Pages': '{.storedPages}',
    'Written Back': '{.writtenBackPages}',
    'Pool Limit Hit': '{.poolLimitHit}',
  },
  spec: {
    /** Size of the pool in bytes. */
    totalSize: field(1, uint64),
    /** Human-readable size with a binary unit. */
    totalSizeHuman: field(2, text),
    /** Pages. */
    storedPages: field(3, uint64),
    poolLimitHit: field(4, uint64),
    rejectReclaimFail: field(5, uint64),
    rejectAllocFail: field(6, uint64),
    rejectKmemcacheFail: field(7, uint64),
    rejectCompressFail: field(8, uint64),
    rejectCompressPoor: field(9, uint64),
    /** Pages. */
    writtenBackPages: field(10, uint64),
  },
});
export type ZswapStatusSpec = SpecOf<typeof zswapStatuses>;
