import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { homesName, reasonToKeep, useCopies } from './copy-users.ts';
import { temporaryFolder } from './testing.ts';

function openData(t: TestContext) {
  const data = join(temporaryFolder(t), 'nodewright');
  mkdirSync(data, { mode: 0o700 });
  const list = join(data, homesName);
  return { data, list, homes: (): unknown => JSON.parse(readFileSync(list, 'utf8')) };
}

test('useCopies() lists each TALOS_HOME once, and the 1000 that were used last', async (t) => {
  const { data, list, homes } = openData(t);
  for (const home of ['/a', '/b', join(data, 'talos'), '/a']) {
    await using _use = await useCopies(data, home);
  }
  assert.deepEqual(homes(), ['/b', '/a']);
  assert.deepEqual(readdirSync(data), [homesName]);
  const many = Array.from({ length: 1000 }, (_, at) => `/home/${at}`);
  writeFileSync(list, JSON.stringify(many));
  await using _use = await useCopies(data, '/a');
  assert.deepEqual(homes(), [...many.slice(1), '/a']);
});

test('a damaged list of folders stops "up" and "down" with what to do, and removes nothing', async (t) => {
  const { data, list } = openData(t);
  const message = `${list} cannot be read: delete it when no cluster outside ${data}/talos is left, and try again`;
  for (const text of ['', '{}', '[1]']) {
    writeFileSync(list, text);
    await assert.rejects(useCopies(data, '/a'), { message }, text);
    await assert.rejects(reasonToKeep(data, join(data, 'talos')), { message }, text);
    assert.deepEqual(readdirSync(data), [homesName]);
  }
});
