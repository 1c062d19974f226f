import { createPublicKey, type KeyObject } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageProblems, inputsFile, signFile } from '../signing/image-signatures.ts';

export interface EnsureImageInit {
  /** The folder of the image, which need not exist. */
  readonly folder: string;
  /** The private key that signs the image. */
  readonly key: KeyObject;
  /** Digest of everything that the image is made from now. */
  readonly inputs: () => string;
  /** Builds and signs the image. */
  readonly build: () => Promise<void>;
}

/**
 * Builds the image, unless the folder has the one that a build would make: it was made from the same inputs, and each of
 * its files is as it was signed with this key.
 *
 * @returns whether it was built
 */
export async function ensureImage({ folder, key, inputs, build }: EnsureImageInit): Promise<boolean> {
  const record = join(folder, inputsFile);
  const before = inputs();
  const isSame = existsSync(record) && readFileSync(record, 'utf8').trim() === before;
  if (isSame && imageProblems(folder, createPublicKey(key)).length === 0) return false;
  for (const path of [record, `${record}.sig`]) rmSync(path, { force: true });
  await build();
  // A source that changed during the build may be in the image or not, so the next call builds it again.
  if (inputs() === before) {
    writeFileSync(record, `${before}\n`);
    signFile(folder, inputsFile, key);
  }
  return true;
}
