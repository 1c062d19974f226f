import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { editFile } from './edit-file.ts';
import { copyContracts, runBuf } from './run-tool.ts';

test('buf lint passes', async () => {
  assert.deepEqual(await runBuf(['lint']), { code: 0, output: '' });
});

test('buf format has nothing to change', async () => {
  assert.deepEqual(await runBuf(['format', '--diff', '--exit-code']), { code: 0, output: '' });
});

test("buf lint applies the whole standard to the project's own packages", async () => {
  await using copy = await copyContracts();
  const path = 'proto/suite/runtime/v1/runtime.proto';
  await editFile(join(copy.root, path), 'repeated Member members = 1;', 'repeated Member MemberList = 1;');

  const { code, output } = await runBuf(['lint'], copy.root);

  assert.equal(code, 100);
  assert.match(output, /runtime\.proto:\d+:\d+:Field name "MemberList" should be lower_snake_case/);
  assert.equal(output.trim().split('\n').length, 1);
});

test("buf lint accepts the names of upstream's packages and checks their layout", async () => {
  await using copy = await copyContracts();
  const path = join(copy.root, 'proto/cluster/cluster.proto');
  await editFile(path, 'repeated string worker_nodes = 2;', 'repeated string WorkerNodes = 2;');
  assert.deepEqual(await runBuf(['lint'], copy.root), { code: 0, output: '' });

  await editFile(path, 'package cluster;', 'package clusters;');
  const { code, output } = await runBuf(['lint'], copy.root);

  assert.equal(code, 100);
  assert.match(output, /cluster\.proto:\d+:\d+:Files with package "clusters" must be within a directory/);
});

test('buf lint requires a comment on every rpc, message and enum', async () => {
  await using copy = await copyContracts();
  await editFile(join(copy.root, 'proto/time/time.proto'), '  // Asks a given server.\n', '');

  const { code, output } = await runBuf(['lint'], copy.root);

  assert.equal(code, 100);
  assert.match(output, /time\.proto:\d+:\d+:RPC "TimeCheck" should have a non-empty comment/);
});
