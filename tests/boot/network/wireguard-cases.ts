// WireGuard tunnels of a machine, one configuration after the other, and what `wg show all dump` must say of each. The cases change every
// setting of a tunnel, and remove what can be removed.
import type { KernelWireguard } from '@nodewright/linux/network';
import { devicesOfDump } from '../../../services/machined/src/network/testing/wg-dump.ts';
import {
  ownKey,
  peerKey,
  wireguardKey,
} from '../../../services/machined/src/network/testing/wireguard-keys.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface WireguardCase {
  readonly name: string;
  /** Without `apiVersion`; undefined: there is no document. */
  readonly document: Fields | undefined;
  /** What `wg` shows of `wg0`. Undefined: there is no such link. */
  readonly device: KernelWireguard | undefined;
}

const tunnel = (fields: Fields): Fields => ({
  ...{ kind: 'WireguardConfig', name: 'wg0', privateKey: ownKey.privateKey, ...fields },
});

const bare = { presharedKeyDigest: '', endpoint: '', keepaliveSeconds: 0, allowedIps: [] as string[] };
const [one = '', other = ''] = [peerKey(1), peerKey(2)].sort();
/** Of this preshared key. */
const presharedKey = wireguardKey(9);
const presharedKeyDigest = [
  ...devicesOfDump(`wg0\t\t\t1\toff\nwg0\t${one}\t${presharedKey}\t(none)\t(none)\t0\t0\t0\toff\n`).values(),
].flatMap(({ peers }) => peers.map((peer) => peer.presharedKeyDigest))[0] as string;

type TunnelCase = WireguardCase & { readonly document: Fields; readonly device: KernelWireguard };

export const wireguardCases: readonly [TunnelCase, ...WireguardCase[]] = [
  {
    name: 'with two peers and several addresses',
    document: tunnel({
      ...{ listenPort: 51_820, firewallMark: 7, mtu: 1380 },
      addresses: [{ address: '10.27.0.1/24' }, { address: 'fd27::1/64' }],
      peers: [
        {
          ...{ publicKey: one, presharedKey, endpoint: '192.0.2.1:51820' },
          ...{ persistentKeepaliveInterval: '25s', allowedIPs: ['10.27.1.0/24', 'fd27:1::/64'] },
        },
        { publicKey: other, allowedIPs: ['10.27.2.0/24'] },
      ],
    }),
    device: {
      ...{ publicKey: ownKey.publicKey, listenPort: 51_820, firewallMark: 7 },
      peers: [
        {
          ...{ publicKey: one, presharedKeyDigest, endpoint: '192.0.2.1:51820', keepaliveSeconds: 25 },
          allowedIps: ['10.27.1.0/24', 'fd27:1::/64'],
        },
        { ...bare, publicKey: other, allowedIps: ['10.27.2.0/24'] },
      ],
    },
  },
  {
    name: 'without a preshared key, a keep-alive and a mark, and with a prefix that changed its peer',
    document: tunnel({
      listenPort: 51_821,
      peers: [
        { publicKey: one, endpoint: '192.0.2.2:51820', allowedIPs: [] },
        { publicKey: other, allowedIPs: ['10.27.1.0/24'] },
      ],
    }),
    device: {
      ...{ publicKey: ownKey.publicKey, listenPort: 51_821, firewallMark: 0 },
      peers: [
        { ...bare, publicKey: one, endpoint: '192.0.2.2:51820' },
        { ...bare, publicKey: other, allowedIps: ['10.27.1.0/24'] },
      ],
    },
  },
  {
    name: 'without peers',
    document: tunnel({ listenPort: 51_821 }),
    device: { publicKey: ownKey.publicKey, listenPort: 51_821, firewallMark: 0, peers: [] },
  },
  { name: 'removed', document: undefined, device: undefined },
];

/** The first case of the old section, without the preshared key that it has no field for: an entry of `machine.network.interfaces`. */
export const oldSection: { readonly entry: Fields; readonly device: KernelWireguard } = {
  entry: {
    ...{ interface: 'wg1', mtu: 1380, addresses: ['10.28.0.1/24', 'fd28::1/64'] },
    wireguard: {
      ...{ privateKey: wireguardKey(3), listenPort: 51_830, firewallMark: 8 },
      peers: [
        {
          ...{ publicKey: one, endpoint: '[2001:db8::1]:51820' },
          ...{ persistentKeepaliveInterval: '5s', allowedIPs: ['0.0.0.0/0', '::/0'] },
        },
      ],
    },
  },
  device: {
    ...{ publicKey: peerKey(3), listenPort: 51_830, firewallMark: 8 },
    peers: [
      {
        ...{ publicKey: one, presharedKeyDigest: '', endpoint: '[2001:db8::1]:51820', keepaliveSeconds: 5 },
        allowedIps: ['0.0.0.0/0', '::/0'],
      },
    ],
  },
};
