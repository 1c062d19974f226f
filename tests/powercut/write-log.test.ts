// SEED repeats the random logs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SeededRandom } from '../fuzz/seeded-random.ts';
import { followWriteLog } from './follow-write-log.ts';
import { encodeWriteLog, type LogEntry, logSectorBytes, readWriteLog } from './write-log.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const runs = 200;

function drawEntry(random: SeededRandom): LogEntry {
  const at = random.below(2 ** 31) * logSectorBytes;
  const sectors = 1 + random.below(4);
  const kind = random.pick(['write', 'write', 'flush', 'discard'] as const);
  if (kind === 'flush') return { kind };
  if (kind === 'discard') return { kind, at, lengthBytes: sectors * logSectorBytes };
  return { kind, at, bytes: random.bytes(sectors * logSectorBytes), isForced: random.below(4) === 0 };
}

const drawLog = (random: SeededRandom) => Array.from({ length: random.below(12) }, () => drawEntry(random));

test(`readWriteLog() returns what was recorded, whatever number of entries was counted (SEED=${seed})`, () => {
  const random = new SeededRandom(seed);
  for (let run = 0; run < runs; run += 1) {
    const entries = drawLog(random);
    assert.deepEqual(readWriteLog(encodeWriteLog(entries, random.below(20))), entries);
  }
});

test(`readWriteLog() returns the complete entries of a log that ends anywhere (SEED=${seed})`, () => {
  const random = new SeededRandom(seed);
  for (let run = 0; run < runs; run += 1) {
    const entries = drawLog(random);
    const complete = random.below(entries.length + 1);
    const whole = encodeWriteLog(entries);
    const least = encodeWriteLog(entries.slice(0, complete)).length;
    const most = encodeWriteLog(entries.slice(0, complete + 1)).length;
    const end = least + random.below(Math.max(1, most - least));
    assert.deepEqual(readWriteLog(whole.subarray(0, end)), entries.slice(0, complete));
  }
});

test('readWriteLog() ends at an entry that was not written before the emulator was killed', () => {
  const entry: LogEntry = { kind: 'write', at: 0, bytes: Buffer.alloc(logSectorBytes, 1), isForced: false };
  const log = encodeWriteLog([entry, entry, entry]);
  log.fill(0, 3 * logSectorBytes, 5 * logSectorBytes);
  assert.deepEqual(readWriteLog(log), [entry]);
});

test('readWriteLog() reads a log that ends before the first flush', () => {
  const entry: LogEntry = { kind: 'write', at: 0, bytes: Buffer.alloc(logSectorBytes, 1), isForced: false };
  const log = encodeWriteLog([entry]);
  log.fill(0, 0, logSectorBytes);
  assert.deepEqual(readWriteLog(log), [entry]);
});

test('readWriteLog() refuses what is no log', () => {
  assert.throws(() => readWriteLog(Buffer.alloc(0)), /no log of writes/);
  assert.throws(() => readWriteLog(Buffer.alloc(4096)), /no log of writes/);
  const wide = encodeWriteLog([]);
  wide.writeUInt32LE(4096, 24);
  assert.throws(() => readWriteLog(wide), /sectors of 4096 bytes/);
});

test('followWriteLog() counts the entries of a log that grows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'write-log-'));
  try {
    const path = join(folder, 'log');
    const random = new SeededRandom(seed);
    const entries = Array.from({ length: 6 }, () => drawEntry(random));
    writeFileSync(path, '');
    using follower = followWriteLog(path);
    assert.equal(follower.count(), 0);
    for (const count of [0, 2, 6]) {
      writeFileSync(path, encodeWriteLog(entries.slice(0, count)));
      assert.equal(follower.count(), count, `SEED=${seed}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
