import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { openLogCopies } from './log-copies.ts';
import { LogStore } from './log-store.ts';

const quiet = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const flushIntervalMs = 60_000;

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `this is line ${from + index}\n`).join('');

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'log-copies-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('what is logged while the copies stop is written once', () =>
  inFolder(async (folder) => {
    // Writes to a pipe wait for its reader, so that the end of the last write is up to this test.
    execFileSync('mkfifo', [join(folder, 'apid.log')]);
    const pipe = openSync(join(folder, 'apid.log'), constants.O_RDONLY | constants.O_NONBLOCK);
    const found: Buffer[] = [];
    const readOn = (lengthBytes: number): boolean => {
      const buffer = Buffer.alloc(lengthBytes);
      try {
        const bytes = readSync(pipe, buffer);
        found.push(buffer.subarray(0, bytes));
        return bytes > 0;
      } catch (error) {
        assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
        return false;
      }
    };
    const store = new LogStore();
    const log = store.open('apid');
    const text = numbered(0, 40_000);
    const [before, during] = [text.slice(0, 150_000), text.slice(150_000)];
    log.write(before);
    const copies = openLogCopies({ store, folder, log: quiet, flushIntervalMs });
    let isOver = false;
    const stopped = copies.stop().then(() => {
      isOver = true;
    });
    await eventually(() => readOn(1), { what: 'the first byte of the last write' });
    // Enough to be written at once.
    log.write(during);
    await eventually(
      () => {
        while (readOn(64 * 1024));
        return isOver;
      },
      { what: 'the end of the last write' },
    );
    await stopped;
    closeSync(pipe);
    assert.equal(Buffer.concat(found).toString() === text, true);
  }));

test('a folder that becomes usable after the copies were stopped is left alone', () =>
  inFolder(async (folder) => {
    const ready = Promise.withResolvers<void>();
    const store = new LogStore();
    store.open('apid').write('one\n');
    const copies = openLogCopies({ store, folder, log: quiet, flushIntervalMs, folderReady: ready.promise });
    await copies.stop();
    ready.resolve();
    await copies[Symbol.asyncDispose]();
    await assert.rejects(readFile(join(folder, 'apid.log')), { code: 'ENOENT' });
  }));

test('a log is rotated at the end of a line, also of one that comes in two writes', () =>
  inFolder(async (folder) => {
    for (const text of ['one\ntwo\nthree, the ', 'last\nfour\n']) {
      const store = new LogStore();
      store.open('apid').write(text);
      await using _ = openLogCopies({ store, folder, log: quiet, flushIntervalMs, rotateBytes: 10 });
    }
    assert.equal(await readFile(join(folder, 'apid.log.1'), 'utf8'), 'one\ntwo\nthree, the last\n');
    assert.equal(await readFile(join(folder, 'apid.log'), 'utf8'), 'four\n');
  }));

test('a log without the end of a line is rotated when 64 KiB of the line are above the limit', () =>
  inFolder(async (folder) => {
    const store = new LogStore();
    store.open('apid').write('z'.repeat(190 * 1024));
    {
      await using _ = openLogCopies({ store, folder, log: quiet, flushIntervalMs, rotateBytes: 100 });
    }
    assert.equal((await readFile(join(folder, 'apid.log.1'))).length, 128 * 1024);
    assert.equal((await readFile(join(folder, 'apid.log'))).length, 62 * 1024);
  }));
