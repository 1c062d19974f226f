import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { loadNativeCalls, type NativeCalls, SystemCallError } from './native-calls.ts';

// <linux/module.h>: MODULE_INIT_COMPRESSED_FILE
const compressedFile = 4;

/** Loads the file of a module, with its parameters as one text. Nothing happens when the module is loaded already. */
export type LoadModuleFile = (path: string, parameters: string) => Promise<void>;

/**
 * Loads modules into the kernel, which decompresses them and checks their signatures.
 *
 * @param folder of the kernel's modules
 */
export function createModuleLoader(folder: string): LoadModuleFile {
  let calls: Promise<NativeCalls> | undefined;
  return async (path, parameters) => {
    // Loaded on demand: few nodes load modules.
    calls ??= loadNativeCalls();
    const { loadModule } = await calls;
    await using file = await open(join(folder, path), 'r');
    try {
      await loadModule(file.fd, Buffer.from(`${parameters}\0`), path.endsWith('.xz') ? compressedFile : 0);
    } catch (error) {
      if (!(error instanceof SystemCallError && error.code === 'EEXIST')) throw error;
    }
  };
}
