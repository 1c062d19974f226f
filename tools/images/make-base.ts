import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Architecture } from '@nodewright/build';
import { runDocker } from '@nodewright/provision/engine';

const release = 'trixie';
/** The libraries that the pinned Node.js needs; see the Dockerfiles. */
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1'];

/**
 * Makes a stand-in for the image from which libraries are copied, when the public one cannot be pulled. It
 * holds the same libraries from packages of the same Debian release, and nothing else. Needs root. Two builds
 * on the same day give the same bytes.
 */
export async function makeBase(tag: string, architecture: Architecture, epochSeconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'base-'));
  const root = join(folder, 'root');
  const tarball = join(folder, 'base.tar');
  try {
    run('mmdebstrap', [
      ...['--quiet', '--variant=extract', '--mode=root', `--architectures=${architecture}`],
      ...[`--include=${packages.join(',')}`, '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr'],
      ...[release, root],
    ]);
    run('tar', [
      ...['--sort=name', `--mtime=@${epochSeconds}`, '--numeric-owner', '--format=gnu'],
      ...['-C', root, '-cf', tarball, ...globSync('usr/lib/*-linux-gnu', { cwd: root })],
    ]);
    await runDocker(['import', '--platform', `linux/${architecture}`, tarball, tag]);
  } catch (error) {
    const said =
      error instanceof Error && 'stderr' in error ? String(error.stderr).trim().split('\n').at(-1) : '';
    const reason = said || (error instanceof Error ? error.message : String(error));
    throw new Error(`cannot make the base ${tag}: ${reason}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}
