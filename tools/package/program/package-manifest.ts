// What a package holds. The file is beside the programs, and each start of a cluster compares a copy with it.
import { createHash } from 'node:crypto';
import { lstat, open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PackagedFile {
  /** Below the package, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly isProgram: boolean;
}

export interface PackageManifest {
  /** Such as `0.1.0`. */
  readonly version: string;
  /** The short commit; with a digest behind it when the tree had changes. */
  readonly commit: string;
  /** All files except the manifest itself, sorted by their paths. */
  readonly files: readonly PackagedFile[];
}

export const manifestName = 'manifest.json';
const plainName = /^[0-9A-Za-z][0-9A-Za-z.-]*$/;
const isPlainPath = (path: string) => path.split('/').every((part) => !['', '.', '..'].includes(part));

export const copyName = ({ version, commit }: PackageManifest) => `${version}-${commit}`;

/** @throws Error of one line when the folder is not a package */
export async function readManifest(folder: string): Promise<{ manifest: PackageManifest; text: string }> {
  const path = join(folder, manifestName);
  try {
    const text = await readFile(path, 'utf8');
    const manifest = JSON.parse(text) as PackageManifest;
    const names = [manifest.version, manifest.commit].every((name) => plainName.test(name));
    if (names && manifest.files.every((file) => isPlainPath(file.path))) return { manifest, text };
  } catch {
    // The same message as for a file with another content.
  }
  throw new Error(`${path} does not describe this package: unpack the archive again`);
}

/** @throws the error of the system, or `signal.reason` */
export async function hashFile(
  path: string,
  take: (chunk: Uint8Array) => Promise<unknown> | undefined,
  signal?: AbortSignal,
): Promise<{ sizeBytes: number; sha256: string }> {
  await using file = await open(path, 'r');
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let sizeBytes = 0;
  for (;;) {
    signal?.throwIfAborted();
    const { bytesRead } = await file.read(buffer, 0, chunkBytes);
    if (bytesRead === 0) return { sizeBytes, sha256: hash.digest('hex') };
    const chunk = buffer.subarray(0, bytesRead);
    hash.update(chunk);
    await take(chunk);
    sizeBytes += bytesRead;
  }
}

const chunkBytes = 1 << 20;

/**
 * Returns the first file in which a folder differs from a package: missing, additional, or with another content or mode;
 * `undefined` when it is the same. Links are differences, because programs could be changed behind them.
 */
export async function findDifference(
  folder: string,
  { manifest, text }: { readonly manifest: PackageManifest; readonly text: string },
): Promise<string | undefined> {
  const found = await listFiles(folder);
  const expected = new Set([manifestName, ...manifest.files.map(({ path }) => path)]);
  const odd =
    found.find((path) => !expected.has(path)) ?? [...expected].find((path) => !found.includes(path));
  if (odd !== undefined) return odd;
  if ((await readFile(join(folder, manifestName), 'utf8')) !== text) return manifestName;
  for (const { path, sizeBytes, sha256, isProgram } of manifest.files) {
    const { size, mode } = await lstat(join(folder, path));
    if (size !== sizeBytes || ((mode & 0o100) !== 0) !== isProgram) return path;
    const now = await hashFile(join(folder, path), () => undefined);
    if (now.sha256 !== sha256) return path;
  }
  return undefined;
}

/** Paths of all files below a folder; anything else than files and folders has a `@` behind its path. */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const below = await Promise.all(
    entries.map(async (entry) => {
      if (entry.isFile()) return [entry.name];
      if (!entry.isDirectory()) return [`${entry.name}@`];
      return (await listFiles(join(folder, entry.name))).map((path) => `${entry.name}/${path}`);
    }),
  );
  return below.flat();
}
