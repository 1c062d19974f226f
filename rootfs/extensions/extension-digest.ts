import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { findSource, referenceDigest } from '@nodewright/extensions';
import { openDistributionClient } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';

/** The digests of extensions: of the bytes that are there, or of what a registry has under the name now. */
export async function extensionDigests(names: readonly string[]): Promise<readonly string[]> {
  using registry = openDistributionClient({ telemetry: noTelemetry });
  const digests: string[] = [];
  for (const name of names) {
    const source = await findSource(name).catch((error: Error) => {
      throw new Error(`extension ${name}: ${error.message}`);
    });
    digests.push(
      source.kind === 'registry'
        ? await referenceDigest(source.reference, registry)
        : extensionDigest(source.path),
    );
  }
  return digests;
}

/**
 * SHA-256, in hex, of everything in an extension that decides the bytes of its layer.
 */
export function extensionDigest(path: string): string {
  const hash = createHash('sha256');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) addFolder(hash, path, '');
  else if (stats?.isFile()) hash.update('file\0').update(readFileSync(path));
  return hash.digest('hex');
}

function addFolder(hash: Hash, folder: string, below: string): void {
  for (const name of readdirSync(folder).sort()) {
    const [path, shown] = [join(folder, name), `${below}/${name}`];
    const stats = lstatSync(path);
    const isProgram = (stats.mode & 0o111) !== 0;
    if (stats.isDirectory()) {
      hash.update(`folder\0${shown}\0`);
      addFolder(hash, path, shown);
    } else if (stats.isSymbolicLink()) hash.update(`link\0${shown}\0${readlinkSync(path)}\0`);
    else if (stats.isFile()) {
      const content = createHash('sha256').update(readFileSync(path)).digest('hex');
      hash.update(`${isProgram ? 'program' : 'file'}\0${shown}\0${content}\0`);
    } else hash.update(`other\0${shown}\0`);
  }
}
