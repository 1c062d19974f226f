import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startUp } from './start-up.ts';
import { openPackage } from './testing.ts';

const contextOf = (name: string, ca: string) => `  ${name}: { endpoints: [127.0.0.1], ca: ${ca} }\n`;
/** Base64 of texts that stand for certificates. */
const [caOfA, caOfB] = ['YQ==', 'Yg=='];

test('startUp() names the command that makes the context of a kept cluster current', async (t) => {
  const { data, notes, init } = openPackage(t);
  const home = join(data, 'talos');
  mkdirSync(join(home, 'clusters', 'a'), { recursive: true, mode: 0o700 });
  writeFileSync(
    join(home, 'clusters', 'a', 'talosconfig'),
    `context: a\ncontexts:\n${contextOf('a', caOfA)}`,
  );
  const contexts = contextOf('a', caOfB) + contextOf('a-1', caOfA);
  const upWith = async (current: string) => {
    writeFileSync(join(home, 'config'), `context: ${current}\ncontexts:\n${contexts}`);
    assert.equal(await startUp(init('a')), 0);
    return notes.at(-1) ?? '';
  };
  // The context "a" is of another cluster.
  assert.match(
    await upWith('a'),
    /nodewright\n {2}nodewright talosctl config context a-1 +# [^\n]*\n {2}nodewright talosctl -n node01 memory /,
  );
  assert.match(await upWith('""'), /nodewright talosctl config context a-1 /);
  assert.doesNotMatch(await upWith('a-1'), /config context/);
});
