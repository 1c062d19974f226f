import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyFromText, presharedKeyDigest } from '@nodewright/linux/network';
import { devicesOfDump } from './wg-dump.ts';
import { ownKey, peerKey, wireguardKey } from './wireguard-keys.ts';

test('devicesOfDump() reads devices with and without keys and peers', () => {
  const [one, other] = [peerKey(1), peerKey(2)].sort();
  const rows = [
    ['wg0', ownKey.privateKey, ownKey.publicKey, '51820', '0x7'],
    ['wg0', other, wireguardKey(9), '[fd00::1]:51820', 'fd00:1::/64,10.1.0.0/16', ...['0', '0', '0', '25']],
    ['wg0', one, '(none)', '(none)', '(none)', '0', '0', '0', 'off'],
    ['wg1', '(none)', '(none)', '40001', 'off'],
  ];
  const digest = presharedKeyDigest(keyFromText(wireguardKey(9)) ?? assert.fail());
  assert.deepEqual(
    devicesOfDump(`${rows.map((row) => row.join('\t')).join('\n')}\n`),
    new Map([
      [
        'wg0',
        {
          ...{ publicKey: ownKey.publicKey, listenPort: 51_820, firewallMark: 7 },
          peers: [
            { publicKey: one, presharedKeyDigest: '', endpoint: '', keepaliveSeconds: 0, allowedIps: [] },
            {
              ...{ publicKey: other, presharedKeyDigest: digest, endpoint: '[fd00::1]:51820' },
              ...{ keepaliveSeconds: 25, allowedIps: ['10.1.0.0/16', 'fd00:1::/64'] },
            },
          ],
        },
      ],
      ['wg1', { publicKey: '', listenPort: 40_001, firewallMark: 0, peers: [] }],
    ]),
  );
});
