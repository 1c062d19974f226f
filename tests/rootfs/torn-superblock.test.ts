// The file system of BOOT after a power cut between the two sectors of its superblock, mounted by the kernel of this machine.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nativeArchitecture } from '@nodewright/build';
import type { LockedTools } from '../../rootfs/debian/locked-tools.ts';
import { makeExtPartition } from '../../rootfs/disk/ext-partition.ts';
import { unpackTools } from '../../rootfs/workshop.ts';

const checkout = join(import.meta.dirname, '..', '..');
const work = mkdtempSync(join(tmpdir(), 'torn-superblock-'));
after(() => rmSync(work, { recursive: true, force: true }));

const mib = 1 << 20;
const sectorBytes = 512;
/** The superblock has two sectors. */
const superblockAt = 1024;
const sectors = [superblockAt, superblockAt + sectorBytes] as const;
const content = 'root file system';

/** Mounts an image in a mount namespace of its own, and runs a script in it. */
function mounted(image: string, options: string, script: string) {
  const target = join(work, 'mounted');
  mkdirSync(target, { recursive: true });
  const text = `mount -t ext4 -o loop,${options} '${image}' '${target}' && cd '${target}' && { ${script}; }; code=$?; cd /; umount '${target}'; exit $code`;
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', text];
  const { status, stdout, stderr } = spawnSync('unshare', words, { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const { tools, skip } = await prepare();

/** The packages come over the network. Without them the tests are skipped and say why; in CI they fail. */
async function prepare(): Promise<{ tools: LockedTools | undefined; skip: string | false }> {
  const inCi = process.env.CI === 'true';
  let unpacked: LockedTools;
  try {
    unpacked = await unpackTools({ checkout, work, architecture: nativeArchitecture() });
  } catch (error) {
    if (inCi || !(error instanceof Error)) throw error;
    return { tools: undefined, skip: error.message };
  }
  const { status, stderr } = mounted(makePartition(unpacked, 'plain', 16 * mib), 'ro', 'true');
  const isMounted = status === 0 || inCi;
  return { tools: unpacked, skip: isMounted ? false : `to mount an image needs root: ${stderr}` };
}

function makePartition(locked: LockedTools, name: string, bytes: number): string {
  const place = join(work, name);
  mkdirSync(place);
  return makeExtPartition(locked, place, {
    ...{ label: 'BOOT', bytes, epochSeconds: 1_700_000_000, uuid: '6e6f6465-7772-4967-a874-000000000001' },
    ...{ files: { 'A/rootfs.squashfs': Buffer.from(content) }, isWritten: true },
  });
}

const locked = () => tools ?? assert.fail('no tools');
const read = 'cat A/rootfs.squashfs';

test('BOOT is mounted when a power cut has left one of the two sectors of its superblock old', {
  skip,
}, () => {
  const image = makePartition(locked(), 'torn', 64 * mib);
  const old = readFileSync(image);
  assert.equal(mounted(image, 'rw', 'mkdir A/sets && echo name > A/sets/next').status, 0);
  const next = readFileSync(image);
  for (const [index, at] of sectors.entries()) {
    const torn = Buffer.from(next);
    old.copy(torn, at, at, at + sectorBytes);
    assert.ok(!torn.equals(next) || index === 1, 'the first sector has changed');
    writeFileSync(image, torn);
    const { status, stdout, stderr } = mounted(image, 'ro', read);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, content);
  }
});

test('BOOT is mounted with each of the copies of its superblock that the init tries, when the first one is gone', {
  skip,
}, () => {
  const source = readFileSync(join(checkout, 'rootfs/init/init.c'), 'utf8');
  const copies = source.match(/sb=\d+/g) ?? [];
  assert.ok(copies.length > 0);
  const image = makePartition(locked(), 'gone', 400 * mib);
  const file = openSync(image, 'r+');
  writeSync(file, Buffer.alloc(2 * sectorBytes), 0, 2 * sectorBytes, superblockAt);
  closeSync(file);
  assert.notEqual(mounted(image, 'ro', read).status, 0);
  for (const copy of copies) {
    const { status, stdout, stderr } = mounted(image, `ro,${copy}`, read);
    assert.equal(status, 0, stderr);
    assert.equal(stdout, content);
  }
});
