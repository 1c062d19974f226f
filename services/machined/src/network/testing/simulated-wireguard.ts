// A WireGuard device in memory. It behaves as link-conformance.ts demands of the real one.
import {
  type KernelWireguard,
  type KernelWireguardPeer,
  keyFromText,
  presharedKeyDigest,
  type WireguardChange,
  type WireguardPeerChange,
  wireguardPublicKey,
} from '@nodewright/linux/network';

export const newWireguard: KernelWireguard = { publicKey: '', listenPort: 0, firewallMark: 0, peers: [] };

/** The device after a change. */
export function configured(device: KernelWireguard, change: WireguardChange): KernelWireguard {
  const { privateKey, listenPort, firewallMark, peers = [] } = change;
  const publicKey = privateKey === undefined ? device.publicKey : (wireguardPublicKey(privateKey) ?? '');
  const byKey = new Map(device.peers.map((peer) => [peer.publicKey, peer]));
  byKey.delete(publicKey);
  for (const each of peers) if (each.publicKey !== publicKey) changePeer(byKey, each);
  return {
    publicKey,
    listenPort: listenPort ?? device.listenPort,
    firewallMark: firewallMark ?? device.firewallMark,
    peers: [...byKey.values()].sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1)),
  };
}

const newPeer: Omit<KernelWireguardPeer, 'publicKey'> = {
  ...{ presharedKeyDigest: '', endpoint: '', keepaliveSeconds: 0, allowedIps: [] },
};

function changePeer(peers: Map<string, KernelWireguardPeer>, change: WireguardPeerChange): void {
  const { publicKey, isRemoved, presharedKey, endpoint, keepaliveSeconds, allowedIps } = change;
  if (isRemoved) {
    peers.delete(publicKey);
    return;
  }
  const peer = peers.get(publicKey) ?? { publicKey, ...newPeer };
  if (allowedIps !== undefined) {
    const taken = new Set(allowedIps);
    for (const [key, each] of peers)
      peers.set(key, { ...each, allowedIps: each.allowedIps.filter((prefix) => !taken.has(prefix)) });
  }
  peers.set(publicKey, {
    publicKey,
    presharedKeyDigest: presharedKey === undefined ? peer.presharedKeyDigest : digestOf(presharedKey),
    endpoint: endpoint ?? peer.endpoint,
    keepaliveSeconds: keepaliveSeconds ?? peer.keepaliveSeconds,
    allowedIps: [...new Set(allowedIps ?? peer.allowedIps)].sort(),
  });
}

const digestOf = (key: NonNullable<WireguardPeerChange['presharedKey']>) =>
  key === 'none' ? '' : presharedKeyDigest(keyFromText(key.reveal()) ?? new Uint8Array());
