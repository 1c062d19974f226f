// The script that starts a package, with a program in the place of Node.js that prints what it was given.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from './program/testing.ts';

const arch = process.arch === 'arm64' ? 'arm64' : 'x64';
const echo = '#!/bin/sh\n[ "$1" = --version ] || echo "$TALOS_HOME" "$@"\n';

/** @param change of the text of the script */
function openPackage(t: TestContext, { node = echo, change = (text: string) => text } = {}) {
  const folder = temporaryFolder(t);
  const runtime = join(folder, 'package', 'runtime', `linux-${arch}`);
  mkdirSync(join(folder, 'package', 'bin'), { recursive: true });
  mkdirSync(runtime, { recursive: true });
  writeFileSync(join(runtime, 'node'), node, { mode: 0o755 });
  const script = join(folder, 'package', 'bin', 'nodewright');
  const text = readFileSync(join(import.meta.dirname, 'nodewright.sh'), 'utf8');
  writeFileSync(script, change(text), { mode: 0o755 });
  const run = (
    words: readonly string[],
    env: Record<string, string> = { HOME: '/home/me' },
    path = script,
  ) => {
    const { status, stdout, stderr } = spawnSync(path, words, {
      ...{ encoding: 'utf8', env: { PATH: '/usr/bin:/bin', ...env } },
    });
    return { status, stdout: stdout.replaceAll(folder, ''), stderr: stderr.replaceAll(folder, '') };
  };
  return { folder, script, run };
}

test('the script of a package starts its programs, also through links', (t) => {
  const { folder, script, run } = openPackage(t);
  const talos = '/home/me/.local/share/nodewright/talos';
  assert.deepEqual(run(['up', '--workers', '0']), {
    ...{ status: 0, stderr: '' },
    stdout: `${talos} /package/dist/nodewright/nodewright.cjs /home/me/.local/share/nodewright up --workers 0\n`,
  });
  const talosctl = '--min-semi-space-size=4 /package/dist/talosctl/talosctl.cjs';
  assert.equal(run(['talosctl', '-n', 'a b']).stdout, `${talos} ${talosctl} -n a b\n`);
  mkdirSync(join(folder, '.bin'));
  symlinkSync('../package/bin/nodewright', join(folder, '.bin', 'nodewright'));
  symlinkSync(join(folder, '.bin', 'nodewright'), join(folder, 'link'));
  assert.equal(run(['ui'], undefined, join(folder, 'link')).stdout, `${talos} ${talosctl} ui\n`);
  assert.ok(script.endsWith('bin/nodewright'));
});

test('the script of a package keeps clusters in the data folder of the user', (t) => {
  const { run } = openPackage(t);
  const homeOf = (env: Record<string, string>) => run(['talosctl'], env).stdout.split(' ')[0];
  assert.equal(homeOf({ HOME: '/h', XDG_DATA_HOME: '/data' }), '/data/nodewright/talos');
  assert.equal(homeOf({ HOME: '/h', XDG_DATA_HOME: 'data' }), '/h/.local/share/nodewright/talos');
  assert.equal(homeOf({ HOME: '/h', TALOS_HOME: '/mine' }), '/mine');
  assert.equal(homeOf({ HOME: '/h', TALOS_HOME: 'mine' }), '/h/.local/share/nodewright/talos');
  assert.deepEqual(run(['up'], {}), {
    ...{ status: 1, stdout: '' },
    stderr: 'nodewright: HOME and XDG_DATA_HOME name no folder for the data of clusters: set one of them\n',
  });
});

test('a system that cannot run the package gets one line', (t) => {
  // Alpine Linux has no loader of glibc.
  const musl = openPackage(t, {
    change: (text) => text.replaceAll(/loader=\S+\/ld-linux/g, 'loader=/nowhere/ld-linux'),
  });
  for (const words of [['up'], ['talosctl', 'version']]) {
    const { status, stdout, stderr } = musl.run(words);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(
      stderr,
      /^nodewright: this system has no glibc \(\/nowhere\/ld-linux\S+ is missing\): use .*\n$/,
    );
  }
  // The loader of a glibc that is too old prints a line for each library.
  const old = openPackage(t, {
    node: '#!/bin/sh\necho "node: version \'GLIBC_2.28\' not found" >&2\necho more >&2\nexit 1\n',
  });
  assert.deepEqual(old.run(['up']), {
    ...{ status: 1, stdout: '' },
    stderr: "nodewright: Node.js does not start on this system: node: version 'GLIBC_2.28' not found\n",
  });
  const other = openPackage(t, { change: (text) => text.replace('$(uname -m)', 'riscv64') });
  assert.equal(
    other.run(['up']).stderr,
    'nodewright: there is no package for riscv64: use x86_64 or aarch64\n',
  );
  const absent = openPackage(t, { change: (text) => text.replaceAll('linux-$arch', 'linux-none') });
  assert.match(absent.run(['up']).stderr, /^nodewright: this package has no Node\.js for \S+: use .*\n$/);
});
