import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { editFile } from './edit-file.ts';
import { copyContracts, generateSomeContracts, runBuf, runGenerate } from './run-tool.ts';

const breaking = ['breaking', '--against', 'proto/image.binpb'];

test('buf breaking finds nothing against the accepted contracts', async () => {
  assert.deepEqual(await runBuf(breaking), { code: 0, output: '' });
});

test('buf breaking accepts additions to a contract', async () => {
  await using copy = await copyContracts();
  const path = join(copy.root, 'proto/suite/runtime/v1/runtime.proto');
  await editFile(
    path,
    'repeated Member members = 1;',
    'repeated Member members = 1;\n  string revision = 2;',
  );
  assert.deepEqual(await runBuf(breaking, copy.root), { code: 0, output: '' });
});

test('buf breaking names a renumbered field, a renamed value, a removed rpc and a removed file', async () => {
  await using copy = await copyContracts();
  const path = (name: string) => join(copy.root, 'proto', name);
  await editFile(
    path('suite/runtime/v1/runtime.proto'),
    'MachineType machine_type = 3;',
    'MachineType machine_type = 4;',
  );
  await editFile(path('storage/storage.proto'), 'ZEROES = 1;', 'ZEROS = 1;');
  await editFile(
    path('inspect/inspect.proto'),
    '  rpc ControllerRuntimeDependencies(google.protobuf.Empty) returns (ControllerRuntimeDependenciesResponse);',
    '',
  );
  await rm(path('machine/md.proto'));

  const { code, output } = await runBuf(breaking, copy.root);

  assert.equal(code, 100);
  assert.match(
    output,
    /Previously present field "3" with name "machine_type" on message "Member" was deleted/,
  );
  assert.match(output, /Enum value "1" on enum "Method" changed name from "ZEROES" to "ZEROS"/);
  assert.match(output, /Previously present RPC "ControllerRuntimeDependencies" .* was deleted/);
  assert.match(output, /Previously present file "machine\/md\.proto" was deleted/);
});

test('generate writes nothing when a contract breaks, and accepts the break when told to', async () => {
  await using copy = await generateSomeContracts();
  const image = join(copy.root, 'proto/image.binpb');
  const accepted = await readFile(image);
  await editFile(
    join(copy.root, 'proto/suite/runtime/v1/runtime.proto'),
    'MachineType machine_type = 3;',
    'MachineType machine_type = 4;',
  );

  const refused = await runGenerate([], copy.root);
  assert.equal(refused.code, 1);
  assert.match(refused.output, /buf breaking failed:\n.*"Member" was deleted/);
  assert.deepEqual(await readFile(image), accepted);

  assert.equal((await runGenerate(['--accept-breaking'], copy.root)).code, 0);
  assert.deepEqual(await runBuf(breaking, copy.root), { code: 0, output: '' });
});
