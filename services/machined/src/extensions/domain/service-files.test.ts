import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readServiceFiles } from '../host/read-service-files.ts';
import { loadServices } from './service-files.ts';

const work = mkdtempSync(join(tmpdir(), 'service-files-'));
after(() => rmSync(work, { recursive: true }));
const file = (name: string) => `name: ${name}\ncontainer: { entrypoint: /x }\n`;

test('files that are wrong, too large, or name a service again are left out, and say why', async () => {
  for (const [name, text] of Object.entries({
    'a.yaml': file('a'),
    'b.yaml': file('B'),
    'c.yaml': file('a'),
    'd.yml': file('d'),
    'e.yaml': `${file('e')}# ${'x'.repeat(1 << 17)}`,
    'f.yaml': file('f'),
  }))
    writeFileSync(join(work, name), text);
  mkdirSync(join(work, 'g.yaml'));
  const { specs, problems } = loadServices(await readServiceFiles(work));
  assert.deepEqual(
    specs.map(({ name }) => name),
    ['a', 'f'],
  );
  assert.deepEqual(
    problems.map(({ file: name }) => name),
    ['b.yaml', 'c.yaml', 'e.yaml', 'g.yaml'],
  );
  assert.match(problems[2]?.reason ?? '', /larger than 65536 bytes$/);
  assert.deepEqual(await readServiceFiles(join(work, 'none')), []);
});

test('a node has a limit of services', async () => {
  const folder = mkdtempSync(join(work, 'many-'));
  for (let at = 0; at < 66; at += 1)
    writeFileSync(join(folder, `${String(at).padStart(2, '0')}.yaml`), file(`s${at}`));
  const { specs, problems } = loadServices(await readServiceFiles(folder));
  assert.equal(specs.length, 64);
  assert.match(problems[0]?.reason ?? '', /at most 64 extension services, 2 more are left out/);
});
