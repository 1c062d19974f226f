import { createHash } from 'node:crypto';
import { createWriteStream, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { archiveItems } from '@nodewright/build/archives';
import { collectFiles, type PackedFile, packedArchitecture } from './package-contents.ts';
import { manifestName, type PackageManifest } from './program/package-manifest.ts';

export interface BuildPackageInit {
  readonly checkout: string;
  /** The folder for the archive; it is created. */
  readonly folder: string;
  /** The short commit of the bundles. */
  readonly commit: string;
  /** Whether the checkout has changes that no commit holds: the name gets a digest of the files then. */
  readonly isChanged: boolean;
  /** Of gzip, 1 to 9. Default: 9. */
  readonly level?: number;
}

/** The time of all files, Unix time: that of the files in the packages of npm. */
const packedSeconds = 499_162_500;

/**
 * Writes the archive of a built checkout. The same files give the same bytes.
 *
 * @returns the path of the archive, and the bytes of all files
 */
export async function buildPackage(init: BuildPackageInit): Promise<{ path: string; sizeBytes: number }> {
  const { checkout, folder, level = 9 } = init;
  const { version, description, license } = JSON.parse(
    readFileSync(join(checkout, 'package.json'), 'utf8'),
  ) as Readonly<Record<'version' | 'description' | 'license', string>>;
  const files = await collectFiles(checkout, {
    ...{ name: 'nodewright', version, description, license },
    keywords: ['talos', 'kubernetes', 'etcd', 'cluster'],
    bin: { nodewright: 'bin/nodewright' },
    ...{ os: ['linux'], cpu: [packedArchitecture] },
  });
  const listed = files.map(({ path, isProgram, data }) => ({
    ...{ path, sizeBytes: data.length, sha256: digestOf(data), isProgram },
  }));
  const commit = init.isChanged
    ? `${init.commit}-${digestOf(JSON.stringify(listed)).slice(0, 8)}`
    : init.commit;
  const manifest: PackageManifest = { version, commit, files: listed };
  const text = `${JSON.stringify(manifest, undefined, 1)}\n`;
  const all: PackedFile[] = [...files, { path: manifestName, isProgram: false, data: Buffer.from(text) }];
  const items = all
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .map(({ path, isProgram, data }) => ({
      ...{ name: `package/${path}`, mode: isProgram ? 0o755 : 0o644 },
      content: { kind: 'file', data: [data] } as const,
    }));
  const name = `nodewright-${version}-${commit}-linux-${packedArchitecture}.tgz`;
  mkdirSync(folder, { recursive: true });
  const draft = join(folder, `.${name}.${process.pid}`);
  try {
    // gzip of zlib writes no time and no name.
    await pipeline(
      Readable.from(archiveItems(items, packedSeconds)),
      createGzip({ level }),
      createWriteStream(draft),
    );
    renameSync(draft, join(folder, name));
  } finally {
    rmSync(draft, { force: true });
  }
  return { path: join(folder, name), sizeBytes: all.reduce((sum, { data }) => sum + data.length, 0) };
}

const digestOf = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
