import { test } from 'node:test';
import { checkRows } from '../sample-validation.ts';

const key32 = Buffer.alloc(32).toString('base64');
const otherKey32 = Buffer.alloc(32, 1).toString('base64');

test('validation checks documents that configure links', () => {
  checkRows([
    ['LinkConfig', 'name: eth0\naddresses: [{ address: 10.0.0.2/24 }]\nroutes: [{ gateway: 10.0.0.1 }]'],
    [
      'LinkConfig',
      'addresses: [{}, { address: "::/64" }]\nroutes: [{ destination: 0.0.0.0/0, gateway: 0.0.0.0 }, {}]',
      '!name is required',
      '!addresses[0].address must be an address with a prefix length, such as 10.0.0.2/24',
      '!addresses[1].address must be an address with a prefix length, such as 10.0.0.2/24',
      '!routes[0].destination must be omitted for a default route',
      '!routes[0].gateway must be an address',
    ],
    ['BondConfig', 'name: b', '!links needs at least one link', '!bondMode is required'],
    [
      'BondConfig',
      'name: b\nlinks: [a]\nbondMode: 802.3ad\nprimary: x\narpIpTargets: [""]',
      '!primary must be one of links',
      '!primary needs bondMode active-backup, balance-tlb, balance-alb',
      '!arpIpTargets[0] must be an address',
      '?miimon should be set for 802.3ad',
      '?updelay should be set for 802.3ad',
      '?downdelay should be set for 802.3ad',
    ],
    [
      'BondConfig',
      'name: b\nlinks: [a]\nbondMode: active-backup\nprimaryReselect: always',
      '?primaryReselect has no effect without primary',
    ],
    [
      'BondConfig',
      'name: b\nlinks: [a]\nbondMode: balance-rr\narpIpTargets: [10.0.0.1, fd00::1]\nnsIp6Targets: [fd00::1, 10.0.0.1]',
      '?arpIpTargets[1] has no effect: must be an IPv4 address',
      '?nsIp6Targets[1] has no effect: must be an IPv6 address',
    ],
    [
      'VethConfig',
      'name: a/b\npeer: { name: averyveryverylong }',
      '!name must be the name of a link: 1 to 15 bytes without "/", ":", "%" and spaces',
      '!peer.name must be the name of a link: 1 to 15 bytes without "/", ":", "%" and spaces',
    ],
    [
      'VethConfig',
      'name: a\npeer: {}',
      '!peer.name must be the name of a link: 1 to 15 bytes without "/", ":", "%" and spaces',
    ],
    [
      'VethConfig',
      'name: v%d\npeer: { name: w }',
      '!name must be the name of a link: 1 to 15 bytes without "/", ":", "%" and spaces',
    ],
    ['VLANConfig', 'name: v\nvlanID: 4095', '!vlanID must be 1 to 4094', '!parent is required'],
    ['VRFConfig', 'name: v\ntable: main', '!table must be a routing table from 1 to 252'],
    ['VRFConfig', 'name: v\ntable: 123'],
    [
      'WireguardConfig',
      'name: w\nprivateKey: short\nlistenPort: 65536\npeers: [{ endpoint: host, persistentKeepaliveInterval: -1s, allowedIPs: [""] }]',
      '!privateKey must be base64 of 32 bytes',
      '!listenPort must be 0 to 65535',
      '!peers[0].publicKey is required',
      '!peers[0].endpoint must be address:port',
      '!peers[0].persistentKeepaliveInterval must not be negative',
      '!peers[0].allowedIPs[0] must be a prefix such as 10.0.0.0/8',
    ],
    [
      'WireguardConfig',
      `name: w\nprivateKey: ${key32}\npeers: [{ publicKey: ${key32}, endpoint: "[::1]:51820", allowedIPs: [::/0] }]`,
    ],
    [
      'WireguardConfig',
      `name: w\nprivateKey: ${key32}\npeers: [{ publicKey: ${key32}, allowedIPs: [10.0.0.0/8] }, { publicKey: ${otherKey32}, allowedIPs: [10.0.0.0/8, 10.0.0.0/8] }, { publicKey: ${key32} }]`,
      '?peers[1].allowedIPs[0] belongs to an earlier peer, which loses it: a prefix has one peer',
      '?peers[2].publicKey is the key of an earlier peer, which it replaces',
    ],
    [
      'WireguardConfig',
      `name: w\nprivateKey: ${key32}\npeers: [${`{ publicKey: ${key32} },`.repeat(1001)}]`,
      '!peers must have at most 1000 entries',
    ],
    [
      'WireguardConfig',
      `name: w\nprivateKey: ${key32}\npeers: [{ publicKey: ${key32}, allowedIPs: [${'10.0.0.0/8,'.repeat(10_001)}] }]`,
      '!peers must have at most 10000 allowedIPs in all',
    ],
    ['LinkAliasConfig', 'name: net%d\nselector: { match: link.driver == "virtio" }'],
    [
      'LinkAliasConfig',
      'name: n%dx',
      '!name may contain "%" only as "%d" at the end, after a prefix',
      '!selector.match is required',
    ],
    ['EthernetConfig', 'rings: { rx: 1 }', '!name is required'],
  ]);
});
