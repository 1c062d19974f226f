import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { copyLines } from './lines-to-log.ts';
import { openLogCopies } from './log-copies.ts';
import { LogStore, ServiceLog } from './log-store.ts';

const quiet = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const never = new AbortController().signal;

async function textOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
}

function storeWith(text: string): LogStore {
  const store = new LogStore();
  store.open('apid').write(text);
  return store;
}

const lines = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

test('a log is read from the requested line on, in pieces of the given size', async () => {
  const store = storeWith(lines(0, 100));
  const read = (tailLines: number, chunkBytes = 1024) =>
    textOf(store.read({ id: 'apid', follow: false, tailLines, signal: never }, chunkBytes));
  assert.equal(await read(-1), lines(0, 100));
  assert.equal(await read(-1, 7), lines(0, 100));
  assert.equal(await read(3), lines(97, 100));
  assert.equal(await read(1000), lines(0, 100));
  assert.equal(await read(0), '');
});

test('no piece of a log is larger than requested', async () => {
  const store = storeWith('x'.repeat(5000));
  const sizes: number[] = [];
  for await (const chunk of store.read({ id: 'apid', follow: false, tailLines: -1, signal: never }, 1024)) {
    sizes.push(chunk.length);
  }
  assert.deepEqual(sizes, [1024, 1024, 1024, 1024, 904]);
});

test('reading a log without any writer fails as unknown', async () => {
  await assert.rejects(
    textOf(storeWith('x').read({ id: 'kubelet', follow: false, tailLines: -1, signal: never }, 9)),
    {
      kind: 'unknown',
      message: 'log "kubelet" was not registered',
    },
  );
});

test('a reader that follows receives later writes, and ends when its signal aborts', async () => {
  const store = storeWith(lines(0, 3));
  const stop = new AbortController();
  const reading = textOf(store.read({ id: 'apid', follow: true, tailLines: 1, signal: stop.signal }, 1024));
  await sleep(5);
  store.open('apid').write(lines(3, 5));
  await sleep(5);
  store.open('apid').write(lines(5, 6));
  await sleep(5);
  stop.abort();
  assert.equal(await reading, lines(2, 6));
});

test('a reader that does not follow ends at the size of the log at the first read', async () => {
  const store = storeWith(lines(0, 3));
  const reading = store.read({ id: 'apid', follow: false, tailLines: -1, signal: never }, 4);
  const first = await reading.next();
  store.open('apid').write(lines(3, 9));
  assert.equal(String(first.value) + (await textOf(reading)), lines(0, 3));
});

test('a slow reader continues with the oldest line in memory, after a notice, and memory stays bounded', async () => {
  const store = storeWith('old\n');
  const reading = store.read({ id: 'apid', follow: true, tailLines: -1, signal: never }, 1024);
  assert.equal(String((await reading.next()).value), 'old\n');
  const log = store.open('apid');
  for (let piece = 0; piece < 40; piece++) log.write(`${'y'.repeat(64 * 1024 - 1)}\n`);
  assert.equal(
    String((await reading.next()).value),
    `[${25 * 64 * 1024} bytes of this log were lost: they were written faster than read]\n`,
  );
  assert.equal(String((await reading.next()).value), 'y'.repeat(1024));
  assert.equal(log.ring.endOffset - log.ring.startOffset, 1024 * 1024);
  await reading.return(undefined);
});

test('two streams of one daemon do not mix within a line', async () => {
  const log = new ServiceLog('apid');
  const [out, err] = [new PassThrough(), new PassThrough()];
  const copied = Promise.all([copyLines(out, log), copyLines(err, log)]);
  out.write('first half, ');
  await sleep(1);
  err.write('a whole line\nunfinished');
  await sleep(1);
  out.end('second half\n');
  err.end();
  await copied;
  assert.equal(log.lastBytes(1000).toString(), 'a whole line\nfirst half, second half\nunfinished\n');
});

test('a line without an end is written in pieces', async () => {
  const log = new ServiceLog('apid');
  const out = new PassThrough();
  const copied = copyLines(out, log);
  for (let piece = 0; piece < 5; piece++) out.write('z'.repeat(30_000));
  await sleep(5);
  assert.ok(log.ring.endOffset >= 90_000, String(log.ring.endOffset));
  out.end();
  await copied;
  assert.equal(log.ring.endOffset, 150_001);
});

test('logs are copied to disk, including earlier writes, and rotated when they are large', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logs-'));
  try {
    const store = storeWith('before\n');
    {
      await using _ = openLogCopies({ store, folder, log: quiet, flushIntervalMs: 10, rotateBytes: 100 });
      store.open('trustd').write('other\n');
      const apidLog = () => readFile(join(folder, 'apid.log'), 'utf8');
      await eventually(async () => (await apidLog()) === 'before\n', { what: 'first copy' });
      store.open('apid').write(`${'q'.repeat(95)}\n`);
      await eventually(() => existsSync(join(folder, 'apid.log.1')), { what: 'rotation' });
      store.open('apid').write('after\n');
    }
    assert.deepEqual((await readdir(folder)).sort(), ['apid.log', 'apid.log.1', 'trustd.log']);
    assert.equal(await readFile(join(folder, 'apid.log.1'), 'utf8'), `before\n${'q'.repeat(95)}\n`);
    assert.equal(await readFile(join(folder, 'apid.log'), 'utf8'), 'after\n');
    assert.equal((await stat(join(folder, 'apid.log'))).mode & 0o777, 0o640);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a log on disk is continued after a restart', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'log-copies-'));
  try {
    for (const text of ['before\n', 'after\n']) {
      await using _ = openLogCopies({ store: storeWith(text), folder, log: quiet });
    }
    assert.equal(await readFile(join(folder, 'apid.log'), 'utf8'), 'before\nafter\n');
  } finally {
    await rm(folder, { recursive: true });
  }
});

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

test('a log that is written faster than the copy interval still has every line on disk', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'logs-'));
  try {
    const store = new LogStore();
    const log = store.open('apid');
    const total = 60_000;
    {
      await using _ = openLogCopies({ store, folder, log: quiet, flushIntervalMs: 60_000, rotateBytes: 1e9 });
      for (let from = 0; from < total; from += 1000) {
        log.write(
          lines(from, from + 1000).replaceAll(
            'line',
            'a line that is long enough to fill the memory of a log',
          ),
        );
        // A disk that is slower than the log would lose lines, so the next ones wait until the disk has the older half.
        const isKeptUp = async () =>
          log.ring.endOffset - (await sizeOf(join(folder, 'apid.log'))) < log.ring.capacityBytes / 2;
        await eventually(isKeptUp, { what: 'the copies on disk' });
      }
      assert.ok(log.ring.endOffset > 3 * log.ring.capacityBytes, `${log.ring.endOffset}`);
    }
    const text = await readFile(join(folder, 'apid.log'), 'utf8');
    assert.equal(text.replaceAll(/^.* (\d+)$/gm, 'line $1') === lines(0, total), true);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('a folder that cannot be written is logged once, and the log in memory continues', async () => {
  const root = await mkdtemp(join(tmpdir(), 'logs-'));
  const reports: string[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => reports.push((JSON.parse(line) as { msg: string }).msg) },
  });
  try {
    await writeFile(join(root, 'file'), '');
    const store = storeWith('kept\n');
    {
      await using _ = openLogCopies({ store, folder: join(root, 'file'), log, flushIntervalMs: 5 });
      await eventually(() => reports.length > 0, { what: 'report' });
      await sleep(20);
    }
    assert.deepEqual(reports, ['logs cannot be written to disk']);
    assert.equal(store.open('apid').lastBytes(10).toString(), 'kept\n');
  } finally {
    await rm(root, { recursive: true });
  }
});
