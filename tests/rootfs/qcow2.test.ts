import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { writeQcow2 } from '../../rootfs/disk/qcow2.ts';

const work = mkdtempSync(join(tmpdir(), 'qcow2-'));
after(() => rmSync(work, { recursive: true }));

const cluster = 1 << 16;

/** A disk with these contents by offset. */
function rawDisk(name: string, sizeBytes: number, contents: Readonly<Record<number, Buffer>>): string {
  const path = join(work, name);
  const file = openSync(path, 'w');
  ftruncateSync(file, sizeBytes);
  for (const [at, bytes] of Object.entries(contents)) writeSync(file, bytes, 0, bytes.length, Number(at));
  closeSync(file);
  return path;
}

/** Reads a cluster of the guest by the tables of the image. */
function readGuest(image: Buffer, at: number): Buffer {
  const entryAt = (table: bigint, index: number) =>
    image.readBigUInt64BE(Number(table & 0x00ff_ffff_ffff_fe00n) + index * 8);
  const index = Math.floor(at / cluster);
  const second = entryAt(image.readBigUInt64BE(40), Math.floor(index / 8192));
  if (second === 0n) return Buffer.alloc(cluster);
  const data = entryAt(second, index % 8192);
  const place = Number(data & 0x00ff_ffff_ffff_fe00n);
  return data === 0n ? Buffer.alloc(cluster) : image.subarray(place, place + cluster);
}

test('writeQcow2() keeps what a disk has, and gives zeros no room', () => {
  const sizeBytes = 540 * (1 << 20) + 512;
  const contents = {
    0: Buffer.alloc(512, 1),
    [3 * cluster + 100]: Buffer.alloc(2 * cluster, 2),
    [520 * (1 << 20)]: Buffer.from('far away'),
    [sizeBytes - 512]: Buffer.alloc(512, 9),
  };
  const raw = rawDisk('disk.raw', sizeBytes, contents);
  const target = join(work, 'disk.qcow2');
  writeQcow2(raw, target);
  const image = readFileSync(target);
  assert.deepEqual([image.toString('latin1', 0, 4), image.readUInt32BE(4)], ['QFI\xfb', 3]);
  assert.equal(Number(image.readBigUInt64BE(24)), sizeBytes);
  assert.ok(statSync(target).size < 20 * cluster, String(statSync(target).size));
  const whole = createHash('sha256');
  for (let at = 0; at < sizeBytes; at += cluster)
    whole.update(readGuest(image, at).subarray(0, Math.min(cluster, sizeBytes - at)));
  assert.equal(whole.digest('hex'), createHash('sha256').update(readFileSync(raw)).digest('hex'));
});

test('writeQcow2() counts every cluster of its file once', () => {
  const target = join(work, 'counted.qcow2');
  writeQcow2(rawDisk('small.raw', 1 << 20, { 0: Buffer.alloc(cluster * 3, 5) }), target);
  const image = readFileSync(target);
  const table = Number(image.readBigUInt64BE(48));
  const block = Number(image.readBigUInt64BE(table));
  const clusters = Math.ceil(image.length / cluster);
  const counts = Array.from({ length: clusters + 1 }, (_, index) => image.readUInt16BE(block + index * 2));
  assert.deepEqual(counts, [...Array.from({ length: clusters }, () => 1), 0]);
});
