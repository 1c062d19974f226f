import { writeFileAtomically } from '@nodewright/files';
import type { PodResolverEffect } from '../controllers/pod-resolver.ts';

/** As every `resolv.conf`. */
const mode = 0o644;

/** The file at `path`. It is replaced by renaming a new one, so a kubelet never reads a part of it. */
export function createPodResolverFile(path: string): PodResolverEffect {
  return { write: (contents) => writeFileAtomically(path, contents, { mode }) };
}
