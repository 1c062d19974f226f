import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../images/architecture.ts';
import { archiveName, etcdPrograms } from './etcd-release.ts';

export interface ReleaseArchive {
  readonly url: string;
  readonly architecture: Architecture;
  /** In hex, of the whole archive. */
  readonly sha256: string;
}

/** Short, so that a machine without internet access does not wait long. */
const firstByteTimeoutMs = 6_000;
const wholeTimeoutMs = 180_000;

/**
 * Fetches a release archive of etcd and puts its programs into `folder`, which it creates.
 *
 * @throws Error with one line when the archive cannot be fetched or its sum is not the pinned one; then
 * nothing is unpacked
 */
export async function fetchRelease(
  { url, architecture, sha256 }: ReleaseArchive,
  folder: string,
): Promise<void> {
  const bytes = await download(url);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== sha256) throw new Error(`${url} has the SHA-256 ${found} where ${sha256} is expected`);
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
