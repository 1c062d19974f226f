import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';

/** Facts that figures depend on besides the code: compare only figures with the same facts. */
export interface MachineFacts {
  readonly processor: string;
  readonly processors: number;
  readonly memoryBytes: number;
  /** Load of the last minute: how busy the machine is otherwise. */
  readonly loadAverage: number;
  readonly kernel: string;
  readonly node: string;
  /** Of Node.js's own nghttp2, not of nghttpx. */
  readonly nghttp2: string | undefined;
  readonly openssl: string | undefined;
  /** The commit that is checked out, with `+` where files differ from it; undefined outside of git. */
  readonly commit: string | undefined;
  /** SHA-256 of the bundles that were measured. */
  readonly bundles: Readonly<Record<string, string>>;
}

export function readMachineFacts(checkout: string, distFolder: string): MachineFacts {
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(join(distFolder, name, `${name}.cjs`)))
      .digest('hex');
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    processors: availableParallelism(),
    memoryBytes: totalmem(),
    loadAverage: loadavg()[0] ?? 0,
    kernel: release(),
    node: process.versions.node,
    nghttp2: process.versions.nghttp2,
    openssl: process.versions.openssl,
    commit: readCommit(checkout),
    bundles: Object.fromEntries(['machined', 'apid', 'trustd'].map((name) => [name, digest(name)])),
  };
}

function readCommit(checkout: string): string | undefined {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: checkout,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    return git('rev-parse', 'HEAD') + (git('status', '--porcelain') === '' ? '' : '+');
  } catch {
    return undefined;
  }
}
