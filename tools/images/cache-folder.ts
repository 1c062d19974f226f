import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Of the machine: root writes it, everybody may read what is there. */
export const sharedCache = '/var/cache/nodewright';

/** The folder for what takes minutes to make and outlives a checkout: the machine's where it may be written, or the user's. */
export function cacheFolder(environment: NodeJS.ProcessEnv): string {
  try {
    mkdirSync(sharedCache, { recursive: true });
    accessSync(sharedCache, constants.W_OK);
    return sharedCache;
  } catch {
    return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'nodewright');
  }
}
