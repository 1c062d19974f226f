import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { keepConsoleBounded, keepOutputBounded, shortenOutput } from './bounded-output.ts';
import { clusterFolder, isClusterEntry } from './cluster-folder.ts';

function openFile(text = '') {
  const folder = mkdtempSync(join(tmpdir(), 'output-'));
  const path = join(folder, 'node01.log');
  writeFileSync(path, text, { mode: 0o600 });
  const descriptor = openSync(path, 'a');
  return {
    path,
    write: (line: string) => writeSync(descriptor, line),
    text: (name = path) => readFileSync(name, 'utf8'),
    [Symbol.dispose]() {
      closeSync(descriptor);
      rmSync(folder, { recursive: true });
    },
  };
}

test('shortenOutput() moves the end of a long file away under its writer, which goes on', () => {
  using file = openFile('first\n');
  shortenOutput(file.path, 10);
  assert.equal(file.text(), 'first\n');
  file.write('second\n');
  shortenOutput(file.path, 10);
  file.write('third\n');
  assert.deepEqual([file.text(), file.text(`${file.path}.1`)], ['third\n', 'st\nsecond\n']);
  assert.equal(statSync(`${file.path}.1`).mode & 0o777, 0o600);
  shortenOutput(join(file.path, 'none'), 10);
});

test('shortenOutput() empties a long file also when its copy cannot be written', () => {
  using file = openFile('first\nsecond\n');
  mkdirSync(`${file.path}.1`);
  assert.throws(() => shortenOutput(file.path, 10), { code: 'EISDIR' });
  assert.equal(file.text(), '');
});

test('what shortenOutput() moves away belongs to the folder of a cluster, which is removed with it', () => {
  const { supervisorLog, nodeLog } = clusterFolder('/c');
  const names = [supervisorLog, nodeLog('node01')].map((path) => `${basename(path)}.1`);
  assert.deepEqual(names.map(isClusterEntry), [true, true]);
});

test('keepOutputBounded() holds its limit while the writer runs', async () => {
  using file = openFile();
  let written = 0;
  using _ = keepOutputBounded([file.path], { keepBytes: 1000, everyMs: 5 });
  await eventually(
    () => {
      for (let line = 0; line < 10; line += 1) written += file.write(`${'x'.repeat(99)}\n`);
      return written > 20_000;
    },
    { what: 'enough output', pollMs: 5 },
  );
  await eventually(() => statSync(file.path).size <= 1000, { what: 'short file', pollMs: 5 });
  assert.match(file.text(`${file.path}.1`), /^x{99}$/m);
});

test('keepConsoleBounded() holds its limit until the emulator has ended', async () => {
  using file = openFile('x'.repeat(2000));
  const emulator = spawn('sleep', ['1000'], { stdio: 'ignore' });
  const keeper = keepConsoleBounded(emulator.pid ?? 0, file.path, {}, { keepBytes: 1000, everySeconds: 1 });
  const ended = once(keeper, 'exit');
  try {
    await eventually(() => statSync(file.path).size === 0, { what: 'short file' });
    file.write('later');
    assert.deepEqual([file.text(), file.text(`${file.path}.1`).length], ['later', 1000]);
    assert.equal(readlinkSync(`/proc/${keeper.pid}/cwd`), '/');
    rmSync(`${file.path}.1`);
    mkdirSync(`${file.path}.1`);
    file.write('y'.repeat(2000));
    await eventually(() => statSync(file.path).size === 0, { what: 'short file without a copy' });
  } finally {
    emulator.kill('SIGKILL');
  }
  await ended;
});
