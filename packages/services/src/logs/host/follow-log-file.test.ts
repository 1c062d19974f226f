import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '@nodewright/testkit';
import { followLogFile } from './follow-log-file.ts';
import { LogStore } from './log-store.ts';

test('followLogFile() copies the content of a file and what is added, also after rotation or truncation', async () => {
  const root = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const path = join(root, 'apid.log');
    const store = new LogStore();
    await using _follower = followLogFile(path, () => store.open('apid'), 10);
    const untilLogIs = (text: string) =>
      eventually(async () => store.ids.length > 0 && store.open('apid').lastBytes(1000).toString() === text, {
        what: JSON.stringify(text),
      });
    assert.deepEqual(store.ids, []);
    writeFileSync(path, 'one\n');
    await untilLogIs('one\n');
    appendFileSync(path, 'two\n');
    await untilLogIs('one\ntwo\n');
    appendFileSync(path, 'three\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'four\n');
    await untilLogIs('one\ntwo\nthree\nfour\n');
    writeFileSync(path, '5\n');
    await untilLogIs('one\ntwo\nthree\nfour\n5\n');
    rmSync(path);
    writeFileSync(path, 'six\n');
    await untilLogIs('one\ntwo\nthree\nfour\n5\nsix\n');
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('followLogFile() does not follow a link, and starts once there is a file', async () => {
  const root = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const path = join(root, 'apid.log');
    writeFileSync(join(root, 'secret'), 'secret\n');
    symlinkSync('secret', path);
    const store = new LogStore();
    await using _follower = followLogFile(path, () => store.open('apid'), 5);
    await sleep(50);
    assert.deepEqual(store.ids, []);
    rmSync(path);
    writeFileSync(path, 'log\n');
    await eventually(async () => store.ids.length > 0, { what: 'log' });
    assert.equal(store.open('apid').lastBytes(100).toString(), 'log\n');
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('followLogFile() reads a rotated file, and adds a notice when another one may have been missed', async () => {
  const root = mkdtempSync(join(tmpdir(), 'follow-'));
  try {
    const path = join(root, 'apid.log');
    const store = new LogStore();
    writeFileSync(path, 'before\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'one\n');
    await using _follower = followLogFile(path, () => store.open('apid'), 50);
    const untilLogIs = (text: string) =>
      eventually(async () => store.ids.length > 0 && store.open('apid').lastBytes(1000).toString() === text, {
        what: JSON.stringify(text),
      });
    await untilLogIs('one\n');
    appendFileSync(path, 'two\n');
    for (const text of ['three\n', 'four\n', 'five\n']) {
      renameSync(path, `${path}.1`);
      writeFileSync(path, text);
    }
    await untilLogIs(
      'one\ntwo\n[a part of this log may be lost: it was rotated faster than read]\nfour\nfive\n',
    );
    appendFileSync(path, 'six\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'seven\n');
    await untilLogIs(
      'one\ntwo\n[a part of this log may be lost: it was rotated faster than read]\nfour\nfive\nsix\nseven\n',
    );
  } finally {
    rmSync(root, { recursive: true });
  }
});
