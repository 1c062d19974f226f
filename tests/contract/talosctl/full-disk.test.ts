// A full disk, simulated by a limit on the size of files, which needs no separate file system and no root. A
// write beyond it fails as on a full disk, with EFBIG instead of ENOSPC.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const suite = openSuite();
const checkoutBundle = join(import.meta.dirname, '../../../_out/dist/talosctl/talosctl.cjs');

async function workplace() {
  const folder = await mkdtemp(join(suite.cluster.folder, 'disk-'));
  const path = join(folder, 'config');
  const endpoints = Array.from({ length: 200 }, (_, index) => `host${index}.example`);
  writeFileSync(path, `context: a\ncontexts:\n    a: {endpoints: [${endpoints.join(', ')}]}\n    b: {}\n`);
  writeFileSync(join(folder, 'more'), 'contexts: {c: {}}\n');
  const before = Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]),
  );
  return {
    folder,
    path,
    /**
     * Runs with a limit in blocks of 512 or 1024 bytes, depending on the shell; the test's input is larger
     * than both.
     */
    run(blocks: number, words: readonly string[], bundle = suite.talosctl.bundle) {
      const script = `ulimit -f ${blocks} && exec "$@"`;
      const child = spawn('sh', ['-c', script, 'sh', process.execPath, bundle, ...words], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, TALOSCONFIG: path, TALOS_HOME: join(folder, 'talos') },
      });
      return finished(child);
    },
    unchanged: (names = Object.keys(before)) => {
      assert.deepEqual(readdirSync(folder).sort(), [...names].sort());
      for (const [name, content] of Object.entries(before))
        assert.deepEqual(readFileSync(join(folder, name)), content, name);
    },
  };
}

test('config keeps the talosconfig complete and leaves no other file', async () => {
  const { path, run, unchanged } = await workplace();
  const commands = [
    ['add', 'new'],
    ['context', 'b'],
    ['node', 'n'],
    ['proxy-url', 'direct'],
    ['merge', 'more'],
    ['remove', '-y', 'b'],
  ];
  for (const words of commands) {
    const { stdout, stderr, exitCode } = await run(1, ['config', ...words]);
    const line = `error: talosconfig ${path} cannot be saved: file too large\n`;
    assert.deepEqual(
      { stdout, stderr, exitCode },
      { stdout: '', stderr: line, exitCode: 1 },
      words.join(' '),
    );
    unchanged();
  }
});

test('config on a completely full disk names the file that it cannot write', async () => {
  const { path, run, unchanged } = await workplace();
  const { stderr, exitCode } = await run(0, ['config', 'node', 'n']);
  const line = `error: ${path}.lock cannot be written: file too large\n`;
  assert.deepEqual({ stderr, exitCode }, { stderr: line, exitCode: 1 });
  unchanged();
});

test('gen --force keeps the old file complete, also behind a link, and leaves no other file', async () => {
  const { folder, run } = await workplace();
  mkdirSync(join(folder, 'kept'));
  const files = ['secrets.yaml', 'controlplane.yaml', 'worker.yaml', 'talosconfig'];
  for (const name of files) {
    writeFileSync(join(folder, 'kept', name), 'precious\n');
    symlinkSync(join(folder, 'kept', name), join(folder, name));
  }
  writeFileSync(join(folder, 'plain.yaml'), 'precious\n');
  const names = readdirSync(folder).sort();
  for (const [words, path] of [
    [['secrets', '--force'], 'secrets.yaml'],
    [['secrets', '--force', '-o', 'plain.yaml'], 'plain.yaml'],
    [['config', '--force', 'demo', 'https://a:6443'], join(folder, 'controlplane.yaml')],
    [['config', '-t', 'worker', '-o', 'new.yaml', 'demo', 'https://a:6443'], 'new.yaml'],
  ] as const) {
    const { stderr, exitCode } = await run(1, ['gen', ...words]);
    const lines = stderr
      .trimEnd()
      .split('\n')
      .filter((line) => line !== 'generating PKI and tokens');
    const line = `error: cannot write ${JSON.stringify(path)}: file too large`;
    assert.deepEqual({ lines, exitCode }, { lines: [line], exitCode: 1 });
  }
  assert.deepEqual(readdirSync(folder).sort(), names);
  assert.deepEqual(readdirSync(join(folder, 'kept')).sort(), [...files].sort());
  for (const name of [...files, 'plain.yaml'])
    assert.equal(readFileSync(join(folder, name), 'utf8'), 'precious\n');
});

test('gen --force replaces the target of a link, and keeps the link', async () => {
  const { folder, run } = await workplace();
  writeFileSync(join(folder, 'real.yaml'), 'old\n');
  symlinkSync('real.yaml', join(folder, 'link.yaml'));
  assert.equal((await run(1_000_000, ['gen', 'secrets', '--force', '-o', 'link.yaml'])).exitCode, 0);
  assert.match(readFileSync(join(folder, 'real.yaml'), 'utf8'), /^cluster:/);
  assert.equal(lstatSync(join(folder, 'link.yaml')).isSymbolicLink(), true);
});

test('cluster create names the file that it cannot write, and removes everything it made', async () => {
  const { folder, run, unchanged } = await workplace();
  const { stderr, exitCode } = await run(1, ['cluster', 'create', '--name', 'full'], checkoutBundle);
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    new RegExp(`^error: cannot write "${folder}/talos/clusters/full/[a-z0-9./]+": file too large$`, 'm'),
  );
  assert.equal(stderr.match(/^error: /gm)?.length, 1);
  unchanged(['config', 'more', 'talos']);
  assert.deepEqual(readdirSync(join(folder, 'talos'), { recursive: true }), ['clusters']);
});
