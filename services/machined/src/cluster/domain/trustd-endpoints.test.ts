import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { configuredEndpoint, shuffled, trustdEndpoints } from './trustd-endpoints.ts';

test('trustdEndpoints() lists every known control plane once, addresses first', () => {
  const known = [
    { addresses: ['127.5.6.3', 'fd00::3'], hosts: [] },
    { addresses: ['127.5.6.2', '127.5.6.3'], hosts: ['cluster.example.org'] },
  ];
  assert.deepEqual(
    trustdEndpoints(known).map(({ host, port }) => `${host} ${port}`),
    ['127.5.6.2 50001', '127.5.6.3 50001', 'fd00::3 50001', 'cluster.example.org 50001'],
  );
  assert.deepEqual(trustdEndpoints([]), []);
});

test('configuredEndpoint() returns the host of the cluster endpoint, an address or a name', () => {
  assert.deepEqual(
    ['https://127.5.6.2:6443', 'https://[fd00::9]:6443', 'https://cluster.example.org', '', 'no url'].map(
      configuredEndpoint,
    ),
    [
      { addresses: ['127.5.6.2'], hosts: [] },
      { addresses: ['fd00::9'], hosts: [] },
      { addresses: [], hosts: ['cluster.example.org'] },
      undefined,
      undefined,
    ],
  );
});

test('shuffled() returns the same values in another order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat()),
      fc.infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })),
      (values, stream) => {
        const result = shuffled(values, () => stream.next().value);
        assert.deepEqual(
          result.toSorted((a, b) => a - b),
          values.toSorted((a, b) => a - b),
        );
      },
    ),
  );
});
