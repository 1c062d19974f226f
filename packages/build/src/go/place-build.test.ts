import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { placeBuild } from './place-build.ts';

const work = mkdtempSync(join(tmpdir(), 'place-build-'));
after(() => rmSync(work, { recursive: true }));

function makeFolder(name: string): string {
  mkdirSync(join(work, name));
  writeFileSync(join(work, name, 'program'), name);
  return join(work, name);
}

test('of two builds that end at the same time the first one stays', () => {
  const target = join(work, 'target');
  placeBuild(makeFolder('first'), target);
  placeBuild(makeFolder('second'), target);
  assert.equal(readFileSync(join(target, 'program'), 'utf8'), 'first');
  assert.ok(existsSync(join(work, 'second')), 'the caller removes its draft');
  assert.throws(() => placeBuild(join(work, 'none'), target), { code: 'ENOENT' });
});
