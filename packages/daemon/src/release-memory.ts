/** The C library's function: `malloc_trim(0)` gives all free pages back. Source: malloc_trim(3). */
type TrimAllocator = (keptBytes: bigint) => number;

let trimAllocator: TrimAllocator | undefined;

/**
 * Finds the C library's `malloc_trim`, and gives up the right to call any other native code: under Node's permission
 * model (`--allow-ffi`) nothing that runs later can. Where there is no such function, memory is not given back.
 */
export async function openReleaseMemory(): Promise<void> {
  try {
    const { DynamicLibrary } = await import('node:ffi');
    const library = new DynamicLibrary('libc.so.6');
    trimAllocator = library.getFunction('malloc_trim', { arguments: ['uint64'], return: 'int32' });
  } catch {
    // Another C library, a Node.js without foreign functions, or no right to call them.
  }
  process.permission?.drop('ffi');
}

/**
 * Gives pages of freed blocks back to the kernel. A block that lives on keeps glibc's heap from shrinking, whatever was
 * freed below it: a burst of bodies left 100 MB resident.
 */
export function releaseMemory(): void {
  trimAllocator?.(0n);
}
