import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, sharedCache } from '../images/cache-folder.ts';

export interface Caches {
  /** Where a new build goes: a folder that outlives the checkout where one may be written. */
  readonly writable: string;
  /** Where builds may already be. */
  readonly readable: readonly string[];
}

/** The folders for what takes minutes to build, the machine's first and the checkout's own last. */
export function buildCaches(checkout: string, environment: NodeJS.ProcessEnv): Caches {
  const [cache, own] = [cacheFolder(environment), join(checkout, '_out', 'tools')];
  return {
    writable: isWritable(cache) ? cache : own,
    readable: [...new Set([sharedCache, cache, own])],
  };
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
