// `node tools/generate.ts --check`, on some of the contracts. `make check` runs it on the checkout.
import assert from 'node:assert/strict';
import { access, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { editFile } from './edit-file.ts';
import { type ContractsCopy, generateSomeContracts, runGenerate } from './run-tool.ts';

const generated = 'packages/contract/src/gen';
let copy: ContractsCopy;
before(async () => {
  copy = await generateSomeContracts();
});
after(() => copy[Symbol.asyncDispose]());

// Each test goes on with the files that the one before has left.
test('generate --check finds that the generated code is up to date', async () => {
  assert.deepEqual(await runGenerate(['--check'], copy.root), { code: 0, output: '' });
});

const lost = () => join(copy.root, generated, 'time/time.ts');
const leftOver = () => join(copy.root, generated, 'time/left-over.ts');
let original: string;

test('generate --check names every file that differs', async () => {
  original = await readFile(lost(), 'utf8');
  await editFile(
    join(copy.root, 'proto/suite/runtime/v1/runtime.proto'),
    'repeated Member members = 1;',
    'repeated Member members = 1;\n  string revision = 2;',
  );
  await rm(lost());
  await writeFile(leftOver(), '');

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
  assert.equal((await runGenerate([], copy.root)).code, 0);

  assert.equal(await readFile(lost(), 'utf8'), original);
  await assert.rejects(access(leftOver()), { code: 'ENOENT' });
});
