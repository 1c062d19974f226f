import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';

const magic = '!<arch>\n';
const headerBytes = 60;

/**
 * The members of an `ar` archive, by name. Source: ar(5).
 *
 * @throws Error for another format, or when the archive is truncated
 */
export function membersOf(archive: Buffer): ReadonlyMap<string, Buffer> {
  if (archive.toString('latin1', 0, magic.length) !== magic) throw new Error('not an ar archive');
  const members = new Map<string, Buffer>();
  for (let at = magic.length; at < archive.length; ) {
    const header = archive.toString('latin1', at, at + headerBytes);
    const size = Number(header.slice(48, 58).trim());
    const begin = at + headerBytes;
    if (header.length < headerBytes || !Number.isSafeInteger(size) || begin + size > archive.length)
      throw new Error('the ar archive is truncated');
    members.set(header.slice(0, 16).trim().replace(/\/$/, ''), archive.subarray(begin, begin + size));
    // Members begin at even offsets.
    at = begin + size + (size % 2);
  }
  return members;
}

/**
 * Unpacks the files of a Debian package into `folder`, without dpkg and without root. Source: deb(5).
 *
 * @throws Error that names the archive
 */
export function unpackDeb(path: string, folder: string): void {
  const data = [...membersOf(readFileSync(path))].find(([name]) => name.startsWith('data.tar'));
  if (data === undefined) throw new Error(`${path} is not a Debian package`);
  const [name, bytes] = data;
  const compression = name.endsWith('.xz') ? ['--xz'] : name.endsWith('.zst') ? ['--zstd'] : [];
  mkdirSync(folder, { recursive: true });
  const args = ['-x', '-C', folder, '--no-same-owner', '--no-same-permissions', ...compression, '-f', '-'];
  const { status, stderr, error } = spawnSync('tar', args, { input: bytes, encoding: 'utf8' });
  if (status !== 0) throw new Error(`tar cannot unpack ${path}: ${error?.message ?? stderr.trim()}`);
}
