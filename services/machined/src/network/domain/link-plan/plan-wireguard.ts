// The keys and the peers of a WireGuard device. Source: Talos v1.14: network, WireGuard; Linux, wireguard.h.
import type { KernelLink, WireguardChange, WireguardPeerChange } from '@nodewright/linux/network';
import type { LinkSpecSpec } from '@nodewright/state/kinds';
import type { LinkPlanDraft } from './link-settings.ts';
import { type PeerSettings, type WireguardSettings, wireguardSettings } from './wireguard-settings.ts';

type KernelWireguard = NonNullable<KernelLink['wireguard']>;
type KernelPeer = KernelWireguard['peers'][number];

/** The endpoints of peers that the kernel has taken, as specifications write them, by public key. */
export type TakenEndpoints = Readonly<Record<string, string>>;

/**
 * Adds the step that leads from the device that there is to its specification. A peer that was heard of from another address than its
 * endpoint keeps that address until its specification changes: WireGuard follows peers that move.
 */
export function planWireguard(spec: LinkSpecSpec, link: KernelLink, draft: LinkPlanDraft): void {
  const { links, memory, steps, waiting, endpointAddresses } = draft;
  const now = link.wireguard;
  if (now === undefined) {
    waiting.push(`link ${link.name}: its WireGuard settings cannot be read`);
    return;
  }
  const wanted = wireguardSettings(spec.wireguard, now.publicKey, { links, endpointAddresses });
  for (const problem of wanted.problems) waiting.push(`link ${link.name}: ${problem}`);
  const endpoints = takenEndpoints(wanted, now, memory.before.get(link.index)?.endpoints ?? {});
  memory.set(link.index, { endpoints: Object.keys(endpoints).length === 0 ? undefined : endpoints });
  const wireguard = wireguardChange(wanted, now, endpoints);
  if (Object.keys(wireguard).length === 0) return;
  steps.push({ kind: 'configure-wireguard', linkName: link.name, linkIndex: link.index, wireguard });
}

/** Of a peer that somebody removed, or whose endpoint was never seen in the kernel, it must be sent again. */
function takenEndpoints(
  wanted: WireguardSettings,
  now: KernelWireguard,
  taken: TakenEndpoints,
): TakenEndpoints {
  const byKey = new Map(now.peers.map((peer) => [peer.publicKey, peer]));
  return Object.fromEntries(
    wanted.peers.flatMap(({ publicKey, endpointText, endpoint }) => {
      const current = byKey.get(publicKey)?.endpoint ?? '';
      const isTaken = current !== '' && (taken[publicKey] === endpointText || current === endpoint);
      return endpointText !== '' && isTaken ? [[publicKey, endpointText]] : [];
    }),
  );
}

/** Empty when nothing changes. */
function wireguardChange(
  wanted: WireguardSettings,
  now: KernelWireguard,
  endpoints: TakenEndpoints,
): WireguardChange {
  const { privateKey, publicKey, listenPort, firewallMark } = wanted;
  const byKey = new Map(now.peers.map((peer) => [peer.publicKey, peer]));
  const staying = new Set(wanted.peers.map((peer) => peer.publicKey));
  const peers: WireguardPeerChange[] = [
    ...now.peers.flatMap((peer) =>
      staying.has(peer.publicKey) ? [] : [{ publicKey: peer.publicKey, isRemoved: true }],
    ),
    ...wanted.peers.flatMap((peer) => peerChange(peer, byKey.get(peer.publicKey), endpoints) ?? []),
  ];
  return {
    ...(privateKey !== undefined && publicKey !== now.publicKey && { privateKey }),
    // Without a port of its own, the device keeps the one that it has.
    ...(listenPort !== 0 && listenPort !== now.listenPort && { listenPort }),
    ...(firewallMark !== undefined && firewallMark !== now.firewallMark && { firewallMark }),
    ...(peers.length > 0 && { peers }),
  };
}

const newPeer: Omit<KernelPeer, 'publicKey'> = {
  ...{ presharedKeyDigest: '', endpoint: '', keepaliveSeconds: 0, allowedIps: [] },
};

function peerChange(
  wanted: PeerSettings,
  found: KernelPeer | undefined,
  endpoints: TakenEndpoints,
): WireguardPeerChange | undefined {
  const { publicKey, presharedKey, endpoint, keepaliveSeconds, allowedIps } = wanted;
  const now = found ?? newPeer;
  const isSame = JSON.stringify(allowedIps) === JSON.stringify(now.allowedIps);
  const isSent = endpoint !== undefined && endpoints[publicKey] === undefined;
  const change: Omit<WireguardPeerChange, 'publicKey'> = {
    ...(wanted.presharedKeyDigest !== now.presharedKeyDigest && { presharedKey: presharedKey ?? 'none' }),
    ...(isSent && { endpoint }),
    ...(keepaliveSeconds !== now.keepaliveSeconds && { keepaliveSeconds }),
    ...(!isSame && { allowedIps }),
  };
  return found !== undefined && Object.keys(change).length === 0 ? undefined : { publicKey, ...change };
}
