import assert from 'node:assert/strict';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { editFile } from './edit-file.ts';
import { checkout, copyContracts, runGenerate } from './run-tool.ts';

const generated = 'packages/contract/src/gen';

test('generate --check finds that the committed code is up to date', async () => {
  assert.deepEqual(await runGenerate(['--check']), { code: 0, output: '' });
});

test('generate --check names every file that differs', async () => {
  await using copy = await copyContracts(generated);
  await editFile(
    join(copy.root, 'proto/suite/runtime/v1/runtime.proto'),
    'repeated Member members = 1;',
    'repeated Member members = 1;\n  string revision = 2;',
  );
  await rm(join(copy.root, generated, 'time/time.ts'));
  await writeFile(join(copy.root, generated, 'time/left-over.ts'), '');

  assert.deepEqual(await runGenerate(['--check'], copy.root), {
    code: 1,
    output: `changed: packages/contract/src/gen/descriptors.ts
changed: packages/contract/src/gen/suite/runtime/v1/runtime.ts
extra: packages/contract/src/gen/time/left-over.ts
missing: packages/contract/src/gen/time/time.ts
changed: proto/image.binpb
generated files differ from their sources: run \`make generate\` and commit the result
`,
  });
});

test('generate restores missing files and removes extra ones', async () => {
  await using copy = await copyContracts(generated);
  const lost = 'time/time.ts';
  const leftOver = join(copy.root, generated, 'time/left-over.ts');
  await rm(join(copy.root, generated, lost));
  await writeFile(leftOver, '');

  assert.equal((await runGenerate([], copy.root)).code, 0);

  const committed = await readFile(join(checkout, generated, lost), 'utf8');
  assert.equal(await readFile(join(copy.root, generated, lost), 'utf8'), committed);
  await assert.rejects(access(leftOver), { code: 'ENOENT' });
});
