import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '@nodewright/state';
import type { ExtraManifest } from '@nodewright/state/kinds';
import { readManifest } from '../domain/manifests/read-manifest.ts';
import type { FetchManifest } from './fetch-manifest.ts';

/**
 * The objects of a manifest of the user, which is in the configuration or is downloaded.
 *
 * @throws Fault that says why it cannot be read
 */
export type LoadManifest = (manifest: ExtraManifest, signal: AbortSignal) => Promise<readonly JsonObject[]>;

export function createLoadManifest(fetchManifest: FetchManifest): LoadManifest {
  return async ({ url, extraHeaders, inlineManifest }, signal) => {
    const text = url === '' ? inlineManifest : await fetchManifest(url, extraHeaders, signal);
    const all: JsonObject[] = [];
    // A large manifest takes long, so each turn of the event loop reads one document.
    for (const objects of readManifest(text)) {
      all.push(...objects);
      await nextTurn();
    }
    return all;
  };
}
