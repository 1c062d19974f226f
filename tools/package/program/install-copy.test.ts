import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { installCopy } from './install-copy.ts';
import { temporaryFolder, writePackage } from './testing.ts';

const contents = {
  'bin/nodewright': '#!/bin/sh\n',
  'dist/a/a.cjs': 'a'.repeat(3_000_000),
  LICENSE: 'free',
};

function open(t: TestContext) {
  const folder = temporaryFolder(t);
  const source = join(folder, 'source');
  writePackage(source, contents);
  const data = join(folder, 'share', 'nodewright');
  const copy = join(data, '0.1.0-abc');
  const install = (init: Partial<Parameters<typeof installCopy>[0]> = {}) =>
    installCopy({ source, data, now: () => new Date(), signal: new AbortController().signal, ...init });
  return { folder, source, data, copy, install };
}

function assertWhole(copy: string): void {
  for (const [path, text] of Object.entries(contents))
    assert.equal(readFileSync(join(copy, path), 'utf8'), text, path);
  assert.equal(lstatSync(join(copy, 'bin/nodewright')).mode & 0o777, 0o755);
}

test('installCopy() copies a package once, for its owner alone', async (t) => {
  const { data, copy, install } = open(t);
  assert.deepEqual(await install(), { folder: copy, state: 'new' });
  assertWhole(copy);
  assert.equal(lstatSync(data).mode & 0o777, 0o700);
  const { ino } = lstatSync(copy);
  assert.deepEqual(await install(), { folder: copy, state: 'kept' });
  assert.equal(lstatSync(copy).ino, ino);
  assert.deepEqual(readdirSync(data), ['0.1.0-abc']);
});

test('installCopy() replaces a copy that holds anything else', async (t) => {
  const { folder, data, copy, install } = open(t);
  const damages: Readonly<Record<string, () => void>> = {
    'a changed byte': () => writeFileSync(join(copy, 'dist/a/a.cjs'), `${'a'.repeat(2_999_999)}b`),
    'a short file': () => truncateSync(join(copy, 'dist/a/a.cjs'), 1000),
    'a missing file': () => rmSync(join(copy, 'LICENSE')),
    'an additional file': () => writeFileSync(join(copy, 'dist/a/b.cjs'), ''),
    'a program that may not run': () => chmodSync(join(copy, 'bin/nodewright'), 0o644),
    'another list': () => writeFileSync(join(copy, 'manifest.json'), '{}'),
    'a link': () => {
      rmSync(join(copy, 'LICENSE'));
      writeFileSync(join(folder, 'outside'), contents.LICENSE);
      symlinkSync(join(folder, 'outside'), join(copy, 'LICENSE'));
    },
    'a file in the place of the folder': () => {
      rmSync(copy, { recursive: true });
      writeFileSync(copy, '');
    },
    'a link in the place of the folder': () => {
      rmSync(copy, { recursive: true });
      symlinkSync(join(folder, 'share'), copy);
    },
  };
  await install();
  for (const [name, damage] of Object.entries(damages)) {
    damage();
    assert.deepEqual(await install(), { folder: copy, state: 'repaired' }, name);
    assertWhole(copy);
    assert.deepEqual(readdirSync(data), ['0.1.0-abc'], name);
  }
});

test('installCopy() refuses a copy that is damaged when it runs from it', async (t) => {
  const { copy, install } = open(t);
  await install();
  assert.deepEqual(await install({ source: copy }), { folder: copy, state: 'kept' });
  writeFileSync(join(copy, 'LICENSE'), 'none');
  await assert.rejects(install({ source: copy }), {
    message: `${copy}/LICENSE is damaged: run "up" from the archive again`,
  });
});

test('installCopy() refuses a package that was not unpacked as a whole, and leaves nothing', async (t) => {
  const { source, data, install } = open(t);
  writeFileSync(join(source, 'LICENSE'), 'fre');
  await assert.rejects(install(), { message: `${source}/LICENSE is damaged: unpack the archive again` });
  rmSync(join(source, 'LICENSE'));
  await assert.rejects(install(), { message: `${source}/LICENSE is missing: unpack the archive again` });
  writeFileSync(join(source, 'manifest.json'), '{"version":"1","commit":"..","files":[]}');
  await assert.rejects(install(), { message: /manifest\.json does not describe this package/ });
  assert.deepEqual(readdirSync(data), []);
});

/** Starts the same in a process of its own. It prints the state of the copy. */
function startProcess(source: string, data: string, user?: { uid: number; gid: number }): ChildProcess {
  const program = `
    import { installCopy } from ${JSON.stringify(join(import.meta.dirname, 'install-copy.ts'))};
    const [source, data] = process.argv.slice(1);
    const init = { source, data, now: () => new Date(), signal: new AbortController().signal };
    installCopy(init).then(({ state }) => console.log(state), ({ message }) => console.log(message));`;
  return spawn(process.execPath, ['--input-type=module-typescript', '--eval', program, source, data], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...user,
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  for await (const text of child.stdout?.setEncoding('utf8') ?? []) output += text;
  return output.trim();
}

test('installCopy() makes one whole copy when several processes start at once', async (t) => {
  const { source, data, copy, install } = open(t);
  const states = await Promise.all([1, 2, 3].map(() => outputOf(startProcess(source, data))));
  assert.ok(states.includes('new'), states.join(' '));
  assert.ok(
    states.every((state) => ['new', 'kept'].includes(state)),
    states.join(' '),
  );
  assertWhole(copy);
  // In this process all of them find the damage before any repairs it.
  writeFileSync(join(copy, 'LICENSE'), 'none');
  await Promise.all([install(), install(), install()]);
  assertWhole(copy);
  assert.deepEqual(readdirSync(data), ['0.1.0-abc']);
});

test('a process that is killed while it copies leaves no copy, and what it leaves is removed later', async (t) => {
  const { source, data, copy, install } = open(t);
  // Reading from a pipe without a writer does not end, so the copy stays a half.
  rmSync(join(source, 'LICENSE'));
  assert.equal(spawnSync('mkfifo', [join(source, 'LICENSE')]).status, 0);
  const child = startProcess(source, data);
  while (!existsSync(data) || !readdirSync(data).some((name) => existsSync(join(data, name, 'dist/a/a.cjs'))))
    await sleep(20);
  child.kill('SIGKILL');
  await once(child, 'close');
  assert.equal(existsSync(copy), false);
  const [draft = ''] = readdirSync(data);
  rmSync(join(source, 'LICENSE'));
  writeFileSync(join(source, 'LICENSE'), contents.LICENSE);
  assert.deepEqual(await install(), { folder: copy, state: 'new' });
  assertWhole(copy);
  assert.deepEqual(readdirSync(data).toSorted(), [draft, '0.1.0-abc']);
  const old = new Date(Date.now() - 2 * 3_600_000);
  utimesSync(join(data, draft), old, old);
  await install();
  assert.deepEqual(readdirSync(data), ['0.1.0-abc']);
});

test('installCopy() ends when it is aborted, and leaves nothing', async (t) => {
  const { data, install } = open(t);
  const stop = new AbortController();
  const running = install({ signal: stop.signal });
  stop.abort(new Error('stopped'));
  await assert.rejects(running, { message: 'stopped' });
  assert.deepEqual(existsSync(data) ? readdirSync(data) : [], []);
});

const isRoot = process.getuid?.() === 0;

test('a data folder that cannot be written, or belongs to another user, is named with what to do', async (t) => {
  const { folder, data, install } = open(t);
  await assert.rejects(install({ data: '/proc/nodewright' }), {
    message: /^the programs cannot be written to \/proc\/nodewright \(E\w+\): set XDG_DATA_HOME to a folder/,
  });
  mkdirSync(join(folder, 'share'));
  chmodSync(join(folder, 'share'), 0o555);
  if (!isRoot) {
    await assert.rejects(install(), { message: /cannot be written to .* \(EACCES\): set XDG_DATA_HOME/ });
    return;
  }
  chmodSync(folder, 0o755);
  const nobody = { uid: 65_534, gid: 65_534 };
  const isReadable = spawnSync(process.execPath, ['--version'], nobody).status === 0;
  const isSourceReadable =
    spawnSync('cat', [join(import.meta.dirname, 'install-copy.ts')], nobody).status === 0;
  if (isReadable && isSourceReadable)
    assert.match(
      await outputOf(startProcess(join(folder, 'source'), data, nobody)),
      /cannot be written to .* \(EACCES\): set XDG_DATA_HOME/,
    );
  chmodSync(join(folder, 'share'), 0o755);
  mkdirSync(data);
  spawnSync('chown', ['65534', data]);
  await assert.rejects(install(), {
    message: `${data} belongs to another user: set XDG_DATA_HOME to a folder of your own`,
  });
});
