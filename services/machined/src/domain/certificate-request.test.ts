import assert from 'node:assert/strict';
import { isIP } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { configuredEndpoint, shuffled, trustdEndpoints } from '../cluster/domain/trustd-endpoints.ts';
import { isRenewalDue, renewalDelayMs, renewalPeriodMs } from './certificate-renewal.ts';
import { isIpAddress } from './is-ip-address.ts';
import { listenAddressOf, type NodeFacts, platformOf } from './node-facts.ts';
import { backoffMs, requestPausesMs } from './retry-schedule.ts';

const node: NodeFacts = {
  mode: 'process',
  hostname: 'node01',
  addresses: ['127.5.6.2'],
};

test('trustdEndpoints() are all that are known, addresses first, none twice', () => {
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

test('configuredEndpoint() is the host of the endpoint, an address or a name', () => {
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

test('shuffled() loses nothing and invents nothing', () => {
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

test('isIpAddress() agrees with the one of Node', () => {
  const byte = fc.integer({ min: 0, max: 300 });
  const candidate = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.domain(),
    fc.string(),
    fc.tuple(byte, byte, byte, byte).map((parts) => parts.join('.')),
    fc.constantFrom(
      '',
      '1.2.3',
      '1.2.3.4.5',
      '1.2.3.4.',
      '01.2.3.4',
      '::',
      ':',
      '1:2',
      'fe80::1%eth0',
      '0.0.0.0',
    ),
  );
  fc.assert(
    fc.property(candidate, (text) => {
      if (text.includes('%')) return;
      assert.equal(isIpAddress(text), isIP(text) !== 0, text);
    }),
  );
});

test('listenAddressOf() is one address for a node of processes and every address else', () => {
  assert.equal(listenAddressOf(node, 50000), '127.5.6.2:50000');
  assert.equal(listenAddressOf({ ...node, addresses: ['fd00::2'] }, 50000), '[fd00::2]:50000');
  assert.equal(listenAddressOf({ ...node, mode: 'metal' }, 50000), ':50000');
});

test('platformOf() shows processes and nodes of several containers as metal', () => {
  assert.deepEqual(
    (['process', 'container', 'metal'] as const).map((mode) => platformOf(mode, 'child').mode),
    ['metal', 'container', 'metal'],
  );
  assert.equal(platformOf('container', 'external').mode, 'metal');
});

test('isRenewalDue() at half of the life and when the clock went back', () => {
  const due = (ageMs: number) => isRenewalDue(1_000_000, 1_000_000 + ageMs);
  assert.deepEqual(
    [due(0), due(renewalPeriodMs - 1), due(renewalPeriodMs), due(-1)],
    [false, false, true, true],
  );
});

test('renewalDelayMs() is never longer than half an hour, and never past the renewal', () => {
  const delay = (ageMs: number) => renewalDelayMs(1_000_000, 1_000_000 + ageMs);
  assert.deepEqual(
    [delay(0), delay(renewalPeriodMs - 1000), delay(renewalPeriodMs + 5)],
    [30 * 60 * 1000, 1000, 1],
  );
});

test('the pauses of the certificate request and of the back-off are those of the reference', () => {
  assert.deepEqual(
    requestPausesMs(() => 0),
    [0, 1000, 3000, 7000, 15000, 31000],
  );
  assert.deepEqual(
    requestPausesMs(() => 0.999),
    [0, 1099, 3099, 7099, 15099, 31099],
  );
  assert.deepEqual([1, 2, 3, 100].map(backoffMs), [500, 750, 1125, 60_000]);
});
