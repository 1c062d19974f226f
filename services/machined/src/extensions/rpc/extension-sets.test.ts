import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NextStart } from '@nodewright/contract/gen/suite/extensions/v1/extensions.ts';
import type { CallContext } from 'nice-grpc';
import type { KnownSet, SetsStatus } from '../host/extension-sets.ts';
import { createExtensionSetService } from './extension-sets.ts';

const context = {} as CallContext;
const rootHash = 'a'.repeat(64);
const set: KnownSet = { rootHash, imageRootHash: 'b'.repeat(64), squashfsBytes: 5000, layers: [] };
const statusOf = (status: SetsStatus) => {
  const unused = () => assert.fail('not called');
  const sets = { status: async () => status, install: unused, remove: unused, settle: unused };
  return createExtensionSetService(sets).status({}, context);
};

test('a node that is no machine of its own refuses every call, and says why', async () => {
  const service = createExtensionSetService(undefined);
  const requests = (async function* () {})();
  for (const call of [
    () => service.status({}, context),
    () => service.install(requests, context),
    () => service.remove({}, context),
  ])
    await assert.rejects(async () => call(), {
      kind: 'failed-precondition',
      message: /no machine with a disk/,
    });
});

test('the status says what the next start tries', async () => {
  const message = { rootHash, sizeBytes: 5000n, layers: [] };
  assert.deepEqual(await statusOf({ running: set, next: undefined, problem: '' }), {
    ...{ running: message, nextStart: NextStart.NEXT_START_UNCHANGED, next: undefined, problem: '' },
  });
  assert.deepEqual(await statusOf({ running: undefined, next: set, problem: 'a problem' }), {
    ...{ running: undefined, nextStart: NextStart.NEXT_START_INSTALLS, next: message, problem: 'a problem' },
  });
  assert.deepEqual(await statusOf({ running: set, next: 'no set', problem: '' }), {
    ...{ running: message, nextStart: NextStart.NEXT_START_REMOVES, next: undefined, problem: '' },
  });
});
