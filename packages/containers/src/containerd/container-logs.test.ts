import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { type ReadLogInit, readLog } from './container-logs.ts';

const folder = mkdtempSync(join(tmpdir(), 'logs-'));
after(() => rmSync(folder, { recursive: true }));
let count = 0;
const fileWith = (text: string): string => {
  count += 1;
  const path = join(folder, `${count}.log`);
  writeFileSync(path, text);
  return path;
};
async function textOf(init: ReadLogInit): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of readLog(init)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

test('readLog() begins with the last lines, including an incomplete one', async () => {
  const rows: [string, number | undefined, string][] = [
    ['a\nb\nc\n', undefined, 'a\nb\nc\n'],
    ['a\nb\nc\n', 0, ''],
    ['a\nb\nc\n', 1, 'c\n'],
    ['a\nb\nc\n', 2, 'b\nc\n'],
    ['a\nb\nc\n', 9, 'a\nb\nc\n'],
    ['a\nb\nc', 1, 'c'],
    ['a\nb\nc', 2, 'b\nc'],
    ['\n\n\n', 2, '\n\n'],
    ['', 3, ''],
    ['one', 1, 'one'],
  ];
  for (const [text, tailLines, expected] of rows)
    assert.equal(
      await textOf({ path: fileWith(text), tailLines }),
      expected,
      JSON.stringify([text, tailLines]),
    );
});

test('readLog() finds the last lines of a file that is longer than one read', async () => {
  const lines = Array.from({ length: 40_000 }, (_, index) => `line ${index}\n`);
  const path = fileWith(lines.join(''));
  for (const tailLines of [1, 5_000, 39_999, 40_000])
    assert.equal(await textOf({ path, tailLines }), lines.slice(-tailLines).join(''));
});

test('readLog() of a task without output is empty', async () => {
  assert.equal(await textOf({ path: join(folder, 'none.log') }), '');
});

test('readLog() follows until the task has ended, and returns all of its output', async () => {
  const path = fileWith('first\n');
  const ended = Promise.withResolvers<void>();
  const reading = readLog({ path, ended: ended.promise });
  assert.equal(Buffer.from((await reading.next()).value ?? '').toString(), 'first\n');
  appendFileSync(path, 'second\n');
  assert.equal(Buffer.from((await reading.next()).value ?? '').toString(), 'second\n');
  const last = reading.next();
  appendFileSync(path, 'third\n');
  ended.resolve();
  assert.equal(Buffer.from((await last).value ?? '').toString(), 'third\n');
  assert.equal((await reading.next()).done, true);
});

test('readLog() reads a rotated file to its end, and then the whole new one', async () => {
  const path = fileWith('1\n');
  const ended = Promise.withResolvers<void>();
  const reading = readLog({ path, ended: ended.promise, tailLines: 1, pollMs: 20 });
  const next = async () => Buffer.from((await reading.next()).value ?? '').toString();
  assert.equal(await next(), '1\n');
  // The kubelet renames the file; the runtime writes on to it until it is told to open another one.
  appendFileSync(path, '2\n');
  renameSync(path, `${path}.20260101-000000`);
  assert.equal(await next(), '2\n');
  appendFileSync(`${path}.20260101-000000`, '3\n');
  assert.equal(await next(), '3\n');
  const last = next();
  writeFileSync(path, 'a new file that is longer than the old one\n');
  appendFileSync(`${path}.20260101-000000`, '4\n');
  assert.equal(await last, '4\n');
  assert.equal(await next(), 'a new file that is longer than the old one\n');
  renameSync(path, `${path}.20260101-000001`);
  writeFileSync(path, 'short\n');
  ended.resolve();
  assert.equal(await next(), 'short\n');
  assert.equal((await reading.next()).done, true);
});

test('readLog() closes its files, however often the log is rotated', async () => {
  const path = fileWith('first\n');
  const open = () =>
    readdirSync('/proc/self/fd').filter((name) => {
      try {
        return readlinkSync(`/proc/self/fd/${name}`).startsWith(path);
      } catch {
        return false;
      }
    }).length;
  const reading = readLog({ path, ended: new Promise(() => undefined), pollMs: 1 });
  assert.equal(Buffer.from((await reading.next()).value ?? '').toString(), 'first\n');
  for (let count = 0; count < 5; count += 1) {
    renameSync(path, `${path}.${count}`);
    writeFileSync(path, `file ${count}\n`);
    assert.equal(Buffer.from((await reading.next()).value ?? '').toString(), `file ${count}\n`);
    assert.equal(open(), 1);
  }
  await reading.return(undefined);
  assert.equal(open(), 0);
});

test('readLog() fails with the error of the wait for the end, after the output', async () => {
  const path = fileWith('words\n');
  const reading = readLog({ path, ended: Promise.reject(new Error('containerd went away')) });
  assert.equal(Buffer.from((await reading.next()).value ?? '').toString(), 'words\n');
  await assert.rejects(reading.next(), /containerd went away/);
});

test('readLog() continues where an earlier reading had got to', async () => {
  const path = fileWith('one\ntwo\n');
  const progress = {};
  assert.equal(await textOf({ path, progress, tailLines: 1 }), 'one\ntwo\n');
  assert.equal(await textOf({ path, progress }), '');
  appendFileSync(path, 'three\n');
  assert.equal(await textOf({ path, progress }), 'three\n');
  writeFileSync(path, 'new\n');
  assert.equal(await textOf({ path, progress }), 'new\n');
});

test('readLog() leaves nothing at the promise of the end, however often it looks for output', async () => {
  let registered = 0;
  /** Counts what is registered at it, and at the promises derived from it. */
  class CountingPromise<T> extends Promise<T> {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise
    override then<A = T, B = never>(...actions: Parameters<Promise<T>['then']>): Promise<A | B> {
      registered += 1;
      return super.then(...actions) as Promise<A | B>;
    }
  }
  const path = fileWith('');
  const reading = readLog({ path, ended: new CountingPromise(() => undefined), pollMs: 0 });
  const registeredAt: number[] = [];
  for (let line = 0; line < 50; line += 1) {
    const piece = reading.next();
    appendFileSync(path, `${line}\n`);
    assert.equal(Buffer.from((await piece).value ?? '').toString(), `${line}\n`);
    registeredAt.push(registered);
  }
  assert.equal(registeredAt.at(-1), registeredAt[0]);
});

test('readLog() is cancelled by its signal', async () => {
  const left = new AbortController();
  const path = fileWith('');
  const reading = textOf({ path, ended: new Promise(() => undefined), signal: left.signal });
  left.abort();
  await assert.rejects(reading, { kind: 'cancelled' });
});
