import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { archiveName, etcdPrograms } from './etcd-release.ts';

export interface Release {
  /** The folder with the archives and their sums. */
  readonly url: string;
  readonly architecture: Architecture;
}

/** Short, so that a machine without internet access does not wait long. */
const firstByteTimeoutMs = 6_000;
const wholeTimeoutMs = 180_000;

/**
 * Fetches the archive of a release of etcd and puts its programs into `folder`, which it creates.
 *
 * The archive must have the SHA-256 that the release lists. That list comes from the same place, so it finds
 * a damaged archive, but not a release that somebody has replaced: for that only TLS vouches.
 *
 * @throws Error with one line when the archive cannot be fetched or its sum is not the listed one; then
 * nothing is unpacked
 */
export async function fetchRelease({ url, architecture }: Release, folder: string): Promise<void> {
  const file = `${archiveName(architecture)}.tar.gz`;
  const expected = sumOf(file, (await download(`${url}/SHA256SUMS`)).toString());
  if (expected === undefined) throw new Error(`${url}/SHA256SUMS does not list ${file}`);
  const bytes = await download(`${url}/${file}`);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== expected)
    throw new Error(`${url}/${file} has the SHA-256 ${found} where ${expected} is expected`);
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, 'archive.tar.gz');
  writeFileSync(archive, bytes);
  const members = etcdPrograms.map((program) => `${archiveName(architecture)}/${program}`);
  execFileSync(
    'tar',
    ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner', ...members],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  rmSync(archive);
}

/** The SHA-256 of a file in the output of sha256sum. */
function sumOf(file: string, sums: string): string | undefined {
  const lines = sums.split('\n').map((line) => line.trim().split(/\s+\*?/));
  return lines.find(([sum = '', name]) => name === file && /^[0-9a-f]{64}$/.test(sum))?.[0];
}

async function download(url: string): Promise<Buffer> {
  const slow = new AbortController();
  const timer = setTimeout(() => slow.abort(), firstByteTimeoutMs);
  try {
    const response = await fetch(url, {
      signal: AbortSignal.any([slow.signal, AbortSignal.timeout(wholeTimeoutMs)]),
    });
    clearTimeout(timer);
    if (!response.ok) throw new Error(`answered ${response.status}`);
    return Buffer.from(await response.arrayBuffer());
  } catch (error) {
    const { message, cause } = error as Error & { cause?: { code?: string } };
    const reason = slow.signal.aborted ? `no answer within ${firstByteTimeoutMs / 1000} s` : message;
    throw new Error(`${url}: ${cause?.code ?? reason}`, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}
