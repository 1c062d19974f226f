// The pictures of the README and of tutorials: what they were made from has not changed, and they show nothing private.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { mostBytes, type PictureEntry, pictureList } from '../../tools/pictures/picture-list.ts';
import { privateParts } from '../../tools/pictures/private-text.ts';
import { hashesFile, hashSources, readHashes } from '../../tools/pictures/source-hashes.ts';

const checkout = join(import.meta.dirname, '..', '..');
const folder = join(checkout, 'docs', 'pictures');
const entries: readonly (readonly [string, PictureEntry])[] = Object.entries(pictureList);
/** One that could not be made where the others were made has no file. */
const made = entries.filter(([, { file }]) => existsSync(join(folder, file)));

test('each picture shows what its sources print today', () => {
  assert.ok(made.length > 0);
  const hashes = readHashes(checkout);
  const old = made.filter(([name, entry]) => hashes[name] !== hashSources(checkout, entry));
  assert.deepEqual(
    old.map(([name]) => name),
    [],
    `their sources have changed since they were made: make pictures ONLY=${old.map(([name]) => name).join(',')}`,
  );
});

test('README.md, or the text of its row, shows each picture with its text, and no other file is there', () => {
  const missing = made.filter(([, { file, says, shownIn = 'README.md' }]) => {
    const path = relative(dirname(shownIn), `docs/pictures/${file}`);
    return !readFileSync(join(checkout, shownIn), 'utf8').includes(`![${says}](${path})`);
  });
  assert.deepEqual(
    missing.map(([name]) => name),
    [],
  );
  const known = [...made.map(([, { file }]) => file), hashesFile.split('/').at(-1)];
  assert.deepEqual(readdirSync(folder).sort(), known.sort());
});

test('all pictures together are small enough, and the drawn ones have no path and no secret', () => {
  const sizes = made.map(([, { file }]) => statSync(join(folder, file)).size);
  assert.ok(sizes.reduce((sum, size) => sum + size, 0) <= mostBytes, `${sizes}`);
  for (const [name, { file }] of made.filter(([, { file }]) => file.endsWith('.svg'))) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(/<[^>]+>/g, ' ');
    assert.deepEqual(privateParts(text, []), [], name);
  }
});
