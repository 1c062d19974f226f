import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readCurrentContext } from './current-context.ts';

function folderOf(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'current-context-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const write = (path: string, endpoint: string, name = 'one') => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(
      join(folder, path),
      `context: ${name}\ncontexts:\n    one:\n        endpoints: [${endpoint}]\n`,
    );
  };
  const read = (environment: Record<string, string>) =>
    readCurrentContext({ environment: { HOME: folder, ...environment }, cwd: folder });
  return { folder, write, read };
}

test('readCurrentContext() reads the file that talosctl would read', (t) => {
  const { folder, write, read } = folderOf(t);
  write('.talos/config', '10.0.0.1');
  write('home/config', '10.0.0.2');
  write('named', '10.0.0.3');
  const home = { TALOS_HOME: join(folder, 'home') };
  assert.deepEqual(
    [{}, home, { ...home, TALOSCONFIG: 'named' }].map((environment) => read(environment).endpoints),
    [['10.0.0.1'], ['10.0.0.2'], ['10.0.0.3']],
  );
});

test('readCurrentContext() never falls back to another file or context', (t) => {
  const { folder, write, read } = folderOf(t);
  assert.throws(() => read({}), {
    kind: 'failed-precondition',
    message: `there is no talosconfig: TALOSCONFIG is not set, and ${folder}/.talos/config is missing`,
  });
  write('.talos/config', '10.0.0.1');
  assert.throws(() => read({ TALOSCONFIG: 'nope' }), {
    kind: 'not-found',
    message: /\/nope, which TALOSCONFIG/,
  });
  write('other', '10.0.0.1', 'two');
  assert.throws(() => read({ TALOSCONFIG: 'other' }), {
    kind: 'failed-precondition',
    message: `context "two", the current one, is not defined in talosconfig ${folder}/other: it has one`,
  });
  writeFileSync(join(folder, 'empty'), '');
  assert.throws(() => read({ TALOSCONFIG: 'empty' }), {
    message: `no context is current in talosconfig ${folder}/empty: it has none`,
  });
  writeFileSync(join(folder, 'bad'), 'contexts: 5\n');
  assert.throws(() => read({ TALOSCONFIG: 'bad' }), { message: /\/bad/ });
  assert.throws(() => read({ TALOSCONFIG: '.talos' }), { message: /talosconfig .*\.talos cannot be read: / });
});
