import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readTar, type TarEntry } from '@nodewright/build/archives';
import { runDocker } from '@nodewright/provision/engine';

/** Files that the engine creates in a container. */
const ofTheEngine = new Set(['.dockerenv', 'dev/console', 'etc/hostname', 'etc/hosts', 'etc/resolv.conf']);

/** Reads the regular files of an image for any architecture, without starting it. */
export async function readFilesOf(image: string): Promise<TarEntry[]> {
  const folder = mkdtempSync(join(tmpdir(), 'root-'));
  const container = (await runDocker(['create', '--network=none', image])).trim();
  try {
    const file = join(folder, 'root.tar');
    await runDocker(['export', '--output', file, container]);
    return [...readTar(readFileSync(file))].filter(
      ({ type, name }) => (type === '0' || type === '\0') && !ofTheEngine.has(name),
    );
  } finally {
    await runDocker(['rm', container]);
    rmSync(folder, { recursive: true });
  }
}
