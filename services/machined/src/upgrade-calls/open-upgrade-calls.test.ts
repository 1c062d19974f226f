import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { openUpgradeCalls } from './open-upgrade-calls.ts';

test('a node is asked for an artefact only when no registry can have it, and says why it has none', async () => {
  const asked: string[] = [];
  const topic = openUpgradeCalls({
    ...{ plan: undefined, upgrades: undefined, takesExtensions: false, description: 'a test' },
    ...{ cannotEnd: undefined, assertMayUpgrade: async () => {} },
    ...{ sequences: undefined as never, log: undefined as never },
    artefacts: {
      async ensure(image) {
        asked.push(image);
        if (image.endsWith(':v2')) return image;
        throw new Fault('not-found', `this node has no artefact ${image}`);
      },
    },
  });
  const { signal } = new AbortController();
  assert.equal(await topic.lacks('registry.test/installer:v1', signal), undefined);
  assert.equal(await topic.lacks('localhost/installer:v2', signal), undefined);
  const missing = 'localhost/installer:v1';
  assert.equal(await topic.lacks(missing, signal), `this node has no artefact ${missing}`);
  assert.deepEqual(asked, ['localhost/installer:v2', missing]);
  await assert.rejects(topic.lacks(missing, AbortSignal.abort()), { name: 'AbortError' });
});
