import { closeSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';

const blockBytes = 1 << 20;
const zeros = Buffer.alloc(blockBytes);

/**
 * Makes the disk of a machine: a copy of the disk image with room behind it, in which the machine creates its volumes.
 * What holds only zeros takes no space.
 */
export function makeMachineDisk(image: string, target: string, sizeBytes: number): void {
  const source = openSync(image, 'r');
  try {
    const file = openSync(target, 'w', 0o600);
    try {
      const block = Buffer.alloc(blockBytes);
      const { size } = statSync(image);
      for (let at = 0; at < size; at += blockBytes) {
        const part = block.subarray(0, readSync(source, block, 0, blockBytes, at));
        if (!part.equals(zeros.subarray(0, part.length))) writeSync(file, part, 0, part.length, at);
      }
      ftruncateSync(file, Math.max(size, sizeBytes));
    } finally {
      closeSync(file);
    }
  } finally {
    closeSync(source);
  }
}
