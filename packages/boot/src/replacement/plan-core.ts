import {
  bootCodeBytes,
  bootCodeFor,
  coreFor,
  coreSectorOf,
  coreSectors,
  diskSectorBytes,
} from '../grub/core-image.ts';
import type { LoaderPlan } from './loader-step.ts';

export interface CoreFacts {
  /** The first sector of the disk. */
  readonly sector0: Buffer;
  /** The partition BIOS: its first sector, and its content. */
  readonly biosFirst: number;
  readonly bios: Buffer;
  /** The files of the artefact. */
  readonly bootCode: Buffer;
  readonly core: Buffer;
}

/**
 * Replaces the core image of GRUB. The partition BIOS has two places for one: the new image is written to the one that is not in use, and
 * then sector 0, which says the place, is written. A disk writes a sector as a whole or not at all.
 */
export function planCore({ sector0, biosFirst, bios, bootCode, core }: CoreFacts): LoaderPlan {
  const half = Math.floor(bios.length / diskSectorBytes / 2);
  const places = [biosFirst, biosFirst + half] as const;
  const running = coreSectorOf(sector0);
  const target = running === places[0] ? places[1] : places[0];
  if (running !== places[0] && running !== places[1])
    return {
      refusal: `GRUB is in sector ${running} of the disk, which is no place of it in the partition BIOS`,
    };
  const at = (running - biosFirst) * diskSectorBytes;
  const sectors = coreSectors(bios.subarray(at, at + diskSectorBytes));
  const installed = bios.subarray(at, at + sectors * diskSectorBytes);
  if (installed.equals(coreFor(core, running)) && isBootCode(sector0, bootCodeFor(bootCode, running)))
    return { steps: [] };
  const bytes = coreFor(core, target);
  if (bytes.length > half * diskSectorBytes)
    return {
      refusal: `GRUB has ${bytes.length} bytes, and half of the partition BIOS ${half * diskSectorBytes}`,
    };
  if (sectors > half)
    return { refusal: 'the partition BIOS has no room for a second GRUB beside the one in use' };
  const next = Buffer.concat([bootCodeFor(bootCode, target), sector0.subarray(bootCodeBytes)]);
  return {
    steps: [
      { kind: 'write sectors', sector: target, bytes },
      { kind: 'write sectors', sector: 0, bytes: next },
    ],
  };
}

const isBootCode = (sector0: Buffer, bootCode: Buffer) => sector0.subarray(0, bootCodeBytes).equals(bootCode);
