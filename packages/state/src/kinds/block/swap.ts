import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, int32, text, uint64 } from '../../spec/field-types.ts';

/** Swap in use, by path of its device. */
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
    /** Device path. */
    device: field(1, text),
    /** `partition`/`file`. */
    type: field(7, text),
    /** Bytes. */
    size: field(2, uint64),
    /** IEC text. */
    sizeHuman: field(3, text),
    /** Bytes. */
    used: field(4, uint64),
    /** IEC text. */
    usedHuman: field(5, text),
    /** Swap priority. */
    priority: field(6, int32),
  },
});
export type SwapStatusSpec = SpecOf<typeof swapStatuses>;

/** `zswap`: compressed swap in memory. */
export const zswapStatuses = defineKind({
  type: 'ZswapStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    'Total Size': '{.totalSizeHuman}',
    'Stored Pages': '{.storedPages}',
    'Written Back': '{.writtenBackPages}',
    'Pool Limit Hit': '{.poolLimitHit}',
  },
  spec: {
    /** Bytes in pool. */
    totalSize: field(1, uint64),
    /** IEC text. */
    totalSizeHuman: field(2, text),
    /** Pages. */
    storedPages: field(3, uint64),
    /** Count. */
    poolLimitHit: field(4, uint64),
    /** Count. */
    rejectReclaimFail: field(5, uint64),
    /** Count. */
    rejectAllocFail: field(6, uint64),
    /** Count. */
    rejectKmemcacheFail: field(7, uint64),
    /** Count. */
    rejectCompressFail: field(8, uint64),
    /** Count. */
    rejectCompressPoor: field(9, uint64),
    /** Pages. */
    writtenBackPages: field(10, uint64),
  },
});
export type ZswapStatusSpec = SpecOf<typeof zswapStatuses>;
