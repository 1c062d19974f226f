// The documents of an artefact in a folder, without a check: tests read what their build has made.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArtefactDescription } from '@nodewright/installer';
import type { Descriptor } from '@nodewright/oci';

export interface ArtefactLayout {
  readonly description: ArtefactDescription;
  readonly layers: readonly Descriptor[];
  /** Digests of the layers before they were compressed. */
  readonly diffIds: readonly string[];
  /** Of the manifest. */
  readonly digest: string;
  /** Path of a blob. */
  blob(digest: string): string;
}

/** @param folder of an OCI layout with one artefact */
export function readArtefactLayout(folder: string): ArtefactLayout {
  const blob = (digest: string) => join(folder, 'blobs', digest.replace(':', '/'));
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8'));
  const [index] = read(join(folder, 'index.json')).manifests;
  const [manifest] = read(blob(index.digest)).manifests;
  const { layers, config: named } = read(blob(manifest.digest));
  const config = read(blob(named.digest));
  const { format: _, ...description } = config['dev.nodewright.installer'];
  return { description, layers, diffIds: config.rootfs.diff_ids, digest: manifest.digest, blob };
}
