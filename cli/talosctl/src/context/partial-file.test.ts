import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, test } from 'node:test';
import { PartialFile } from './partial-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'partial-file-'));
after(() => rmSync(folder, { recursive: true, force: true }));

for (const keepsPart of [false, true]) {
  const what = keepsPart ? 'has its name with what was written' : 'is removed';

  test(`a file that is not complete ${what}, and the one before ${keepsPart ? 'is replaced' : 'stays'}`, async () => {
    const path = join(folder, `disposed-${keepsPart}`);
    writeFileSync(path, 'before');
    {
      await using file = await PartialFile.open(path, { keepsPart });
      await file.write(Buffer.from('a part'));
    }
    assert.equal(readFileSync(path, 'utf8'), keepsPart ? 'a part' : 'before');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.endsWith('.partial')),
      [],
    );
  });

  test(`a file of a process that exits ${what}`, () => {
    const path = join(folder, `exited-${keepsPart}`);
    const program = `import { PartialFile } from ${JSON.stringify(join(import.meta.dirname, 'partial-file.ts'))};
      const file = await PartialFile.open(${JSON.stringify(path)}, { keepsPart: ${keepsPart} });
      await file.write(Buffer.from('a part'));
      process.exit(3);`;
    const { status, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module-typescript', '-e', program],
      {
        encoding: 'utf8',
      },
    );
    assert.equal(status, 3, stderr);
    const found = readdirSync(folder).filter((name) => name.includes(`exited-${keepsPart}`));
    assert.deepEqual(found, keepsPart ? [`exited-${keepsPart}`] : []);
    if (keepsPart) assert.equal(readFileSync(path, 'utf8'), 'a part');
  });
}

test('nobody can guess the name of a draft, and only the user can read it', async () => {
  const path = join(folder, 'support.zip');
  const names = new Set<string>();
  for (let count = 0; count < 64; count += 1) {
    await using file = await PartialFile.open(path);
    assert.equal(statSync(file.path).mode & 0o777, 0o600);
    const random = /^\.support\.zip\.([0-9a-f]{12})\.partial$/.exec(basename(file.path))?.[1] ?? '';
    names.add(random);
  }
  assert.equal(names.size, 64);
  // 48 random bits: each place of the names varies.
  for (let place = 0; place < 12; place += 1)
    assert.ok(new Set([...names].map((name) => name[place])).size > 4, [...names].join(' '));
});
