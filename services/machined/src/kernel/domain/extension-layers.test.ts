import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extensionLayers } from './extension-layers.ts';

test('extensionLayers() reads the layers in their order, with empty texts for what is not said', () => {
  const text = `layers:
  - image: 1.squashfs
    metadata:
      name: guest-agent
      version: 1.2.3
      author: Example Org
      description: |
        Agent text.
      compatibility:
        talos:
          version: '>= v1.10.0'
      extraInfo: more
  - image: 2.squashfs
    metadata: { name: second }
`;
  const empty = {
    ...{ version: '', author: '', description: '', extraInfo: '' },
    compatibility: { talos: { version: '' } },
  };
  assert.deepEqual(extensionLayers(text), [
    {
      image: '1.squashfs',
      metadata: {
        ...{ name: 'guest-agent', version: '1.2.3', author: 'Example Org', description: 'Agent text.\n' },
        ...{ compatibility: { talos: { version: '>= v1.10.0' } }, extraInfo: 'more' },
      },
    },
    { image: '2.squashfs', metadata: { ...empty, name: 'second' } },
  ]);
  assert.deepEqual(extensionLayers('layers: []\n'), []);
});

test('extensionLayers() refuses a text that is not a list of layers', () => {
  for (const text of ['', 'layers: 1', '{{', 'layers:\n  - metadata: {}\n', 'layers: [x]'])
    assert.throws(() => extensionLayers(text), /^Fault: \/etc\/extensions\.yaml is not readable: /, text);
});
