import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The cache shared by the machine: root writes it, every user can read it. */
export const sharedCache = '/var/cache/nodewright';

/**
 * The folder for build results that take minutes and outlive a checkout: that which `BUILD_CACHE` names, else the machine's when
 * it is writable, else the user's.
 */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  if (environment.BUILD_CACHE) return environment.BUILD_CACHE;
  try {
    mkdirSync(sharedCache, { recursive: true });
    accessSync(sharedCache, constants.W_OK);
    return sharedCache;
  } catch {
    return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'nodewright');
  }
}
