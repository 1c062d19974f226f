import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder, sharedCache } from '../cache-folder.ts';

export interface Caches {
  /** Folder for a new build: one that outlives the checkout, when such a folder is writable. */
  readonly writable: string;
  /** Folders in which a build may already exist. */
  readonly readable: readonly string[];
}

/**
 * The folders for build results that take minutes: the machine's first, the checkout's own last. With `BUILD_CACHE` no other folder
 * of the machine counts, so a build with an empty one uses nothing that was built before.
 */
export function buildCaches(checkout: string, environment: NodeJS.ProcessEnv): Caches {
  const [cache, own] = [cacheFolder(environment), join(checkout, '_out', 'tools')];
  return {
    writable: isWritable(cache) ? cache : own,
    readable: [...new Set([...(environment.BUILD_CACHE ? [] : [sharedCache]), cache, own])],
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
