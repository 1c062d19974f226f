import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unpackPackages } from '@nodewright/build/debian';

/**
 * Path of a static BusyBox, the shell of the images that tests make. It comes from Debian's package and is
 * unpacked once per checkout, without root.
 *
 * @throws Error when there is no apt, or no mirror can be reached
 */
export function ensureBusybox(checkout: string): string {
  const folder = join(checkout, '_out', 'tools', 'busybox');
  const program = join(folder, 'busybox');
  if (existsSync(program)) return program;
  const work = mkdtempSync(join(tmpdir(), 'busybox-'));
  try {
    unpackPackages('trixie', ['busybox-static'], work);
    mkdirSync(folder, { recursive: true });
    // Rename the complete file: another process may be reading it.
    const draft = `${program}.${process.pid}`;
    const found = ['usr/bin/busybox', 'bin/busybox'].map((path) => join(work, path)).find(existsSync);
    copyFileSync(found ?? join(work, 'usr/bin/busybox'), draft);
    chmodSync(draft, 0o755);
    renameSync(draft, program);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return program;
}
