import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DebianArchiveName, debianArchives, type LockedPackage } from '@nodewright/build/debian';

const timeoutMs = 120_000;

export interface FetchDebInit {
  readonly name: string;
  readonly locked: LockedPackage;
  /** Returns the root of a mirror of an archive, without a trailing slash. Called only for a download: it takes a run of apt. */
  readonly mirror: (archive: DebianArchiveName) => string;
  /** Time of the lock, as `20260101T000000Z`: the snapshot that still has the package. */
  readonly snapshot: string;
  /** Folder in which archives are kept by their SHA-256. */
  readonly cache: string;
  readonly fetch?: (url: string, signal: AbortSignal) => Promise<Response>;
}

/**
 * Fetches a package from the mirror of its archive or, if that no longer has the version, from the snapshot archive.
 * Returns the path of the file.
 *
 * @throws Error of one line that names the package and says what to do; a file with another digest is not kept
 */
export async function fetchDeb({
  name,
  locked,
  mirror,
  snapshot,
  cache,
  ...init
}: FetchDebInit): Promise<string> {
  const kept = join(cache, `${locked.sha256}.deb`);
  if (existsSync(kept) && digestOf(readFileSync(kept)) === locked.sha256) return kept;
  const path = locked.path.split('/').map(encodeURIComponent).join('/');
  const failures: string[] = [];
  for (const root of [mirror(locked.archive), `${debianArchives[locked.archive].snapshots}/${snapshot}`]) {
    try {
      const bytes = await download(
        `${root}/${path}`,
        init.fetch ?? ((url, signal) => fetch(url, { signal })),
      );
      const found = digestOf(bytes);
      if (found !== locked.sha256) throw new Error(`SHA-256 ${found} instead of ${locked.sha256}`);
      mkdirSync(cache, { recursive: true });
      const draft = `${kept}.${process.pid}`;
      writeFileSync(draft, bytes);
      renameSync(draft, kept);
      return kept;
    } catch (error) {
      failures.push(error instanceof Error ? error.message : String(error));
    }
  }
  throw new Error(
    `cannot fetch ${name} ${locked.version} of the archive ${locked.archive} (mirror: ${failures[0]}; snapshot archive: ${failures[1]}): make update locks the versions that the mirrors have`,
  );
}

async function download(
  url: string,
  get: (url: string, signal: AbortSignal) => Promise<Response>,
): Promise<Buffer> {
  const response = await get(url, AbortSignal.timeout(timeoutMs));
  if (!response.ok) throw new Error(`status ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
