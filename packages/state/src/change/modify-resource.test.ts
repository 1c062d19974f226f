import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemoryState } from '../store/memory-state.ts';
import { updateResource } from './modify-resource.ts';

test('updateResource() applies the change to a re-created resource that has the same version', async () => {
  // The clock does not advance, so both resources have the same creation time.
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const pointer = { namespace: 'desk', type: 'Notes.test.nodewright.dev', id: 'a' };
  await state.create({ ...pointer, spec: { text: 'old' } });
  const seen: unknown[] = [];
  const slow = Object.create(state, {
    update: {
      value: async (...parameters: Parameters<typeof state.update>) => {
        if (seen.length === 1) {
          await state.destroy(pointer);
          await state.create({ ...pointer, spec: { text: 'new' } });
        }
        return state.update(...parameters);
      },
    },
    get: { value: () => state.get(pointer) },
  });
  const held = await updateResource(slow, pointer, (current) => {
    seen.push(current.spec);
    return { metadata: { labels: { held: 'yes' } } };
  });
  assert.deepEqual([seen, held.spec], [[{ text: 'old' }, { text: 'new' }], { text: 'new' }]);
});
