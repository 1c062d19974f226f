import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientVersion } from './client-program.ts';
import { ensureUpstreamClient } from './ensure-client.ts';

const wrapper = join(import.meta.dirname, '..', '..', 'tests', 'upstream', 'client');

/** A checkout that has only the wrapper module, an empty cache, and a `go` that is this shell script. */
function openFolders(go: string) {
  const folder = mkdtempSync(join(tmpdir(), 'ensure-client-'));
  const [checkout, cache, programs] = ['checkout', 'cache', 'bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  cpSync(wrapper, join(checkout, 'tests', 'upstream', 'client'), { recursive: true });
  mkdirSync(programs);
  writeFileSync(join(programs, 'go'), `#!/bin/sh\n${go}\n`);
  chmodSync(join(programs, 'go'), 0o755);
  const notes: string[] = [];
  const ensure = () =>
    ensureUpstreamClient({
      checkout,
      environment: { PATH: `${programs}:/usr/bin:/bin` },
      note: (line) => notes.push(line),
      caches: { writable: cache, readable: [cache] },
    });
  return { ensure, notes, checkout, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

/** A `go` that prints its version, and builds a file that holds its own arguments. */
const goodGo = `[ "$1" = env ] && { echo go1.26.7; exit; }
all="$*"; while [ "$1" != -o ]; do shift; done; echo "$all" > "$2"`;

test('clientVersion is the release that the wrapper module requires', () => {
  const module = readFileSync(join(wrapper, 'go.mod'), 'utf8');
  assert.ok(module.includes(`github.com/siderolabs/talos ${clientVersion}\n`));
});

test('ensureUpstreamClient() builds once, and again when the wrapper module changes', () => {
  using folders = openFolders(goodGo);
  const first = folders.ensure();
  assert.equal(first.built, true);
  assert.match(readFileSync(first.program, 'utf8'), new RegExp(`^build -trimpath .*Tag=${clientVersion} `));
  assert.deepEqual(folders.ensure(), { ...first, built: false });
  writeFileSync(join(folders.checkout, 'tests', 'upstream', 'client', 'main.go'), 'package main\n');
  assert.equal(folders.ensure().built, true);
  assert.equal(folders.notes.length, 2);
});

test('ensureUpstreamClient() fails with the last line of the build, and leaves no finished build', () => {
  using folders = openFolders(
    '[ "$1" = env ] && { echo go1.26.7; exit; }; echo "no such module" >&2; exit 1',
  );
  for (let round = 0; round < 2; round += 1)
    assert.throws(() => folders.ensure(), { message: 'go build: no such module' });
});
