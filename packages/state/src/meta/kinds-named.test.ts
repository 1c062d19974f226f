import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState } from '../store/memory-state.ts';
import { defineKind } from './define-kind.ts';
import { kindsNamed } from './kinds-named.ts';
import { resourceDefinitions } from './meta-kinds.ts';
import { registerKind } from './register.ts';

test('kindsNamed() finds kinds by type and by alias, in any case, and all kinds with a shared alias', async () => {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  for (const type of [
    'Members.cluster.talos.dev',
    'MountStatuses.runtime.talos.dev',
    'ModuleSpecs.test.nodewright.dev',
  ])
    await registerKind(state, defineKind({ type, defaultNamespace: 'x', spec: {} }));
  const definitions = await state.list(resourceDefinitions);
  const found = (name: string) => kindsNamed(definitions, name).map(({ type }) => type.split('.')[0]);
  assert.deepEqual(found('members.CLUSTER.talos.dev'), ['Members']);
  assert.deepEqual(found('Member'), ['Members']);
  assert.deepEqual(found('members.cluster'), ['Members']);
  assert.deepEqual(found('MS').sort(), ['ModuleSpecs', 'MountStatuses']);
  assert.deepEqual(found('mem'), []);
});
