/**
 * `malloc_trim` of the C library: `malloc_trim(0)` returns all free pages to the kernel. Source:
 * malloc_trim(3).
 */
type TrimAllocator = (keptBytes: bigint) => number;

let trimAllocator: TrimAllocator | undefined;

/**
 * Looks up `malloc_trim` in the C library, then drops the permission for foreign functions (`--allow-ffi` of
 * Node's permission model), so that no later code can call native code. Without the function, memory is not
 * returned.
 */
export function openReleaseMemory(): void {
  try {
    const { DynamicLibrary } = process.getBuiltinModule('node:ffi');
    const library = new DynamicLibrary('libc.so.6');
    trimAllocator = library.getFunction('malloc_trim', { arguments: ['uint64'], return: 'int32' });
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
}
