import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { askAgainPauseMs, lackingNames } from './lacking-names.ts';

const asked = {
  fqdn: 'node04.example.com',
  dnsNames: ['api.example.org', 'node04', 'node04.example.com'],
  ips: ['10.5.0.5', '10.5.0.77', '127.0.0.1', 'fd00:0:0:0::5'],
};
const certified = { dnsNames: asked.dnsNames, ipAddresses: asked.ips };

test('lackingNames() lists the host names and present addresses that a certificate lacks, and no others', () => {
  const present = ['10.5.0.5', 'fd00::5'];
  const lackingOf = (changes: Partial<typeof certified>, addresses = present) =>
    lackingNames({ ...certified, ...changes }, asked, addresses);
  assert.deepEqual(
    [
      lackingOf({}),
      lackingOf({ ipAddresses: ['127.0.0.1', 'fd00::5'] }),
      // A former address, and a name of certSANs.
      lackingOf({ ipAddresses: ['10.5.0.5', 'FD00::5'], dnsNames: ['NODE04', 'node04.example.com'] }),
      lackingOf({ dnsNames: ['node04'] }),
      lackingOf({ dnsNames: [], ipAddresses: [] }),
      // An address that was not asked for, because the request does not know it yet.
      lackingOf({}, ['10.5.0.9']),
    ],
    [
      [],
      ['10.5.0.5'],
      [],
      ['node04.example.com'],
      ['10.5.0.5', 'fd00::5', 'node04', 'node04.example.com'],
      [],
    ],
  );
});

test('askAgainPauseMs() is a minute at first, and grows to half an hour', () => {
  const minutes = Array.from({ length: 12 }, (_, count) => askAgainPauseMs(count, () => 0) / 60_000);
  assert.deepEqual(minutes, [1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 32, 32]);
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 0.999_999, noNaN: true }), (count, random) => {
      const pauseMs = askAgainPauseMs(count, () => random);
      assert.ok(pauseMs >= 60_000 && pauseMs < 32 * 60_000 + 10_000);
    }),
  );
});
