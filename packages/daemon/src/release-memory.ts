import { readFileSync } from 'node:fs';
import { unchangedProgramMappings } from './program-mappings.ts';

/**
 * `malloc_trim` of the C library: `malloc_trim(0)` returns all free pages to the kernel. Source:
 * malloc_trim(3).
 */
type TrimAllocator = (keptBytes: bigint) => number;
/** `madvise` of the C library. Source: madvise(2). */
type AdviseMemory = (start: bigint, length: bigint, advice: number) => number;

/** `MADV_DONTNEED`: the next access reads the page from its file again. Source: madvise(2). */
const dontNeed = 4;
const mappingsPath = '/proc/self/smaps';

let trimAllocator: TrimAllocator | undefined;
let adviseMemory: AdviseMemory | undefined;

/**
 * Looks up `malloc_trim` and `madvise` in the C library, then drops the permission for foreign functions
 * (`--allow-ffi` of Node's permission model), so that no later code can call native code. Without the functions,
 * memory is not returned.
 */
export function openReleaseMemory(): void {
  try {
    const { DynamicLibrary } = process.getBuiltinModule('node:ffi');
    const library = new DynamicLibrary('libc.so.6');
    trimAllocator = library.getFunction('malloc_trim', { arguments: ['uint64'], return: 'int32' });
    adviseMemory = library.getFunction('madvise', {
      arguments: ['uint64', 'uint64', 'int32'],
      return: 'int32',
    });
  } catch {
    // Another C library, a Node.js without foreign functions, or no permission for them.
  }
  process.permission?.drop('ffi');
}

/**
 * Returns the pages of freed blocks to the kernel. A block that stays in use prevents glibc from shrinking
 * its heap below it: after a burst of request bodies 100 MB stayed resident.
 */
export function releaseMemory(): void {
  trimAllocator?.(0n);
  unmapProgram();
}

/**
 * Unmaps the code and constants of the Node.js binary: of the 44 MB that the start maps, an idle daemon uses less than half. The next use of a page maps it again, with those around it, from the kernel's cache of the file.
 */
function unmapProgram(): void {
  if (adviseMemory === undefined) return;
  let smaps: string;
  try {
    smaps = readFileSync(mappingsPath, 'utf8');
  } catch {
    // Not Linux, or no permission for the file.
    return;
  }
  for (const { start, length } of unchangedProgramMappings(smaps, process.execPath))
    adviseMemory(start, length, dontNeed);
}
