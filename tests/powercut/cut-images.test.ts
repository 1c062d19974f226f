// SEED repeats the random requests.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SeededRandom } from '../fuzz/seeded-random.ts';
import { drawImages, drawUnsafeImages } from './cut-images.ts';
import { readSparseDisk, SparseDisk, writeSparseFile } from './sparse-disk.ts';
import { divideAtFlush, isForced, replay } from './surviving-writes.ts';
import { type LogEntry, logSectorBytes } from './write-log.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const runs = 100;
const sectors = 64;
const diskBytes = sectors * logSectorBytes;

function drawEntries(random: SeededRandom): LogEntry[] {
  return Array.from({ length: 1 + random.below(12) }, (_, index) => {
    const first = random.below(sectors - 8);
    const lengthBytes = (1 + random.below(8)) * logSectorBytes;
    const at = first * logSectorBytes;
    const kind = random.pick(['write', 'write', 'write', 'flush', 'discard'] as const);
    if (kind === 'flush') return { kind };
    if (kind === 'discard') return { kind, at, lengthBytes };
    return { kind, at, bytes: Buffer.alloc(lengthBytes, index + 1), isForced: random.below(8) === 0 };
  });
}

/** The same by a plain buffer. */
function plainReplay(bytes: Buffer, entries: readonly LogEntry[]): Buffer {
  for (const entry of entries) {
    if (entry.kind === 'write') entry.bytes.copy(bytes, entry.at);
    else if (entry.kind === 'discard') bytes.fill(0, entry.at, entry.at + entry.lengthBytes);
  }
  return bytes;
}

const sectorAt = (bytes: Buffer, index: number) =>
  bytes.subarray(index * logSectorBytes, (index + 1) * logSectorBytes).toString('hex');

test(`replay() makes the disk that the requests describe (SEED=${seed})`, () => {
  const random = new SeededRandom(seed);
  for (let run = 0; run < runs; run += 1) {
    const entries = drawEntries(random);
    const disk = new SparseDisk(diskBytes);
    replay(disk, entries);
    assert.deepEqual(disk.read(0, diskBytes), plainReplay(Buffer.alloc(diskBytes), entries));
  }
});

test(`drawImages() keeps what was flushed, and of the rest any sectors (SEED=${seed})`, () => {
  const random = new SeededRandom(seed);
  for (let run = 0; run < runs; run += 1) {
    const entries = drawEntries(random);
    const cutBefore = random.below(2) === 0 ? undefined : 1 + random.below(entries.length);
    const { durable, pending } = divideAtFlush(entries, cutBefore);
    const images = drawImages(new SparseDisk(diskBytes), { durable, pending }, run, 20);
    // After each of the pending requests, a sector may have what it had before or what the request has written.
    const states = [plainReplay(Buffer.alloc(diskBytes), durable)];
    for (const entry of pending) states.push(plainReplay(Buffer.from(states.at(-1) as Buffer), [entry]));
    for (const image of images)
      for (let sector = 0; sector < sectors; sector += 1) {
        const allowed = states.map((state) => sectorAt(state, sector));
        const found = sectorAt(image.read(0, diskBytes), sector);
        assert.ok(allowed.includes(found), `run ${run}, sector ${sector}`);
      }
    const whole = plainReplay(Buffer.alloc(diskBytes), entries.slice(0, cutBefore));
    assert.ok(
      images.some((image) => image.read(0, diskBytes).equals(whole)),
      'the disk with everything',
    );
    const flushed = plainReplay(Buffer.from(states[0] as Buffer), pending.filter(isForced));
    assert.ok(
      images.some((image) => image.read(0, diskBytes).equals(flushed)),
      'the disk of the last flush',
    );
    assert.equal(new Set(images.map((image) => image.digest())).size, images.length);
  }
});

test('divideAtFlush() counts a flush that was not complete as none', () => {
  const write: LogEntry = { kind: 'write', at: 0, bytes: Buffer.alloc(logSectorBytes, 7), isForced: false };
  const flush: LogEntry = { kind: 'flush' };
  const entries = [write, flush, write, flush];
  assert.deepEqual(divideAtFlush(entries), { durable: entries, pending: [] });
  assert.deepEqual(divideAtFlush(entries, 4), { durable: [write, flush], pending: [write] });
  assert.deepEqual(divideAtFlush(entries, 3), { durable: [write, flush], pending: [write] });
  assert.deepEqual(divideAtFlush(entries, 2), { durable: [], pending: [write] });
});

test('drawImages() never loses a write that the machine has forced', () => {
  const forced: LogEntry = { kind: 'write', at: 0, bytes: Buffer.alloc(logSectorBytes, 7), isForced: true };
  const images = drawImages(new SparseDisk(diskBytes), { durable: [], pending: [forced] }, 1, 20);
  assert.deepEqual(
    images.map((image) => image.read(0, 1)[0]),
    [7],
  );
});

test('drawUnsafeImages() loses writes that were flushed', () => {
  const entries: LogEntry[] = [
    { kind: 'write', at: 0, bytes: Buffer.alloc(logSectorBytes, 7), isForced: false },
    { kind: 'flush' },
  ];
  const [image] = drawUnsafeImages(new SparseDisk(diskBytes), entries, 1, 1);
  assert.equal(image?.read(0, 1)[0], 0);
});

test(`a disk is the same after it was written to a file and read again (SEED=${seed})`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'sparse-disk-'));
  try {
    const disk = new SparseDisk(4 << 20);
    replay(disk, drawEntries(new SeededRandom(seed)));
    disk.write((3 << 20) - 10, Buffer.alloc(20, 9));
    const path = join(folder, 'disk');
    writeSparseFile(path, disk);
    assert.equal(readFileSync(path).length, disk.sizeBytes);
    assert.equal(readSparseDisk(path).digest(), disk.digest());
  } finally {
    rmSync(folder, { recursive: true });
  }
});
