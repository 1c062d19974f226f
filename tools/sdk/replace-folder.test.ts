import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { replaceFolder } from './replace-folder.ts';

function temporaryFolder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'replace-folder-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test('replaceFolder() leaves the new files and none of the old', (t) => {
  const root = temporaryFolder(t);
  for (const name of ['first', 'second']) {
    mkdirSync(join(root, 'new'));
    writeFileSync(join(root, 'new', name), name);
    replaceFolder(join(root, 'new'), join(root, 'sdk'), join(root, 'old'));
    assert.deepEqual([readdirSync(root), readdirSync(join(root, 'sdk'))], [['sdk'], [name]]);
  }
});

test('replaceFolder() leaves one complete folder when several processes call it at once', async (t) => {
  const root = temporaryFolder(t);
  const program = `
    import { mkdirSync, writeFileSync } from 'node:fs';
    import { replaceFolder } from ${JSON.stringify(join(import.meta.dirname, 'replace-folder.ts'))};
    const [root, name] = process.argv.slice(1);
    for (let round = 0; round < 50; round += 1) {
      mkdirSync(root + '/new-' + name);
      for (const file of ['a', 'b']) writeFileSync(root + '/new-' + name + '/' + file, name);
      replaceFolder(root + '/new-' + name, root + '/sdk', root + '/old-' + name);
    }`;
  const words = ['--input-type=module-typescript', '--eval', program, root];
  await Promise.all(
    ['one', 'two'].map((name) =>
      promisify(execFile)(process.execPath, [...words, name], { timeout: 60_000 }),
    ),
  );
  assert.deepEqual(readdirSync(root), ['sdk']);
  const [a, b] = ['a', 'b'].map((file) => readFileSync(join(root, 'sdk', file), 'utf8'));
  assert.equal(a, b);
});
