import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { writeFileAtomically } from '@nodewright/files';
import { prepareFolder } from '../../base/host/prepare-folder.ts';
import type { PodResolverEffect } from '../controllers/pod-resolver.ts';

/** As every `resolv.conf`. */
const mode = 0o644;

/**
 * The file at `path`. It is replaced by renaming a new one, so a kubelet never reads a part of it. Daemons of other users look up names
 * with other files of its folder.
 */
export function createPodResolverFile(path: string): PodResolverEffect {
  return {
    async write(contents) {
      if ((await readFile(path, 'utf8').catch(() => undefined)) === contents) return;
      await prepareFolder({ path: dirname(path), mode: 0o755 });
      await writeFileAtomically(path, contents, { mode });
    },
  };
}
