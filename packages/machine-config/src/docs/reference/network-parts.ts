import { onlyOn, partly, type ReferenceDocs } from './reference-docs.ts';
import { keyBase64 } from './sample-values.ts';

// What both forms of configuration say about the network.

/** What TimeSyncConfig and machine.time do. */
export const timeNote = partly(
  'Nodes ask time servers and report how far the clock is off. Only a machine sets its clock, after each start; nothing slews it.',
);
export const comparesNote = onlyOn(
  ['process', 'machine'],
  'Containers leave the clock to their host; only the call Time asks a server there.',
);
export const bootTimeNote = onlyOn(['machine'], 'Only machines wait for a time server.');

/** What follows when all time servers need NTS or are clock devices. */
export const unaskedNote =
  'no server is asked, and the clock of a machine counts as not synchronised until bootTimeout has passed, or for ever without it.';

/** Only there the links are the node's own. */
export const vipNote = onlyOn(
  ['container', 'machine'],
  'Processes and stacks do not change links, so they never take the address.',
);

export const kubeSpanSettings: ReferenceDocs = {
  enabled: { help: 'Whether the node takes part; it needs discovery.', default: 'false' },
  advertiseKubernetesNetworks: {
    help: 'Whether the pod networks of the node are also reached through the tunnel.',
    default: 'false',
  },
  allowDownPeerBypass: {
    help: 'Whether traffic for a peer that is down is sent outside of the tunnel.',
    default: 'false',
  },
  harvestExtraEndpoints: {
    help: 'Whether the node collects additional endpoints of peers and passes them on.',
    default: 'false',
  },
  mtu: {
    help: 'Size of the largest packet in the tunnel (MTU), in bytes, at least 1280.',
    example: 1380,
    default: '1420',
  },
  filters: { help: 'What the node announces.' },
  'filters.endpoints': {
    help: 'Networks or addresses of the endpoints to announce; ! in front excludes.',
    example: ['0.0.0.0/0', '!192.0.2.0/24'],
  },
  'filters.excludeAdvertisedNetworks': {
    help: 'Networks that are never announced to peers.',
    example: ['198.51.100.0/24'],
  },
};

export const hostDnsSettings: ReferenceDocs = {
  enabled: { help: 'Whether the resolver runs; a node in a container must have it.', default: 'false' },
  forwardKubeDNSToHost: {
    help: 'Whether the cluster DNS forwards queries to the resolver of the node; needs enabled.',
    default: 'false',
  },
  resolveMemberNames: {
    help: 'Whether the resolver answers for the host names of cluster members; needs enabled.',
    default: 'false',
  },
};

export const wireguardSettings: ReferenceDocs = {
  privateKey: {
    help: 'Private key of the node, base64 of 32 bytes; it is a secret.',
    example: keyBase64,
    isRequired: true,
  },
  listenPort: {
    help: 'UDP port on which the tunnel listens, up to 65535; 0 lets the kernel choose.',
    example: 51820,
    default: '0',
  },
  firewallMark: { help: 'Mark of packets that the tunnel sends; 0 sets no mark.', example: 1, default: '0' },
  peers: { help: 'Nodes at the other ends of the tunnel, at most 1000.' },
  'peers.publicKey': {
    help: 'Public key of the peer, base64 of 32 bytes.',
    example: 'ISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+P0A=',
    isRequired: true,
  },
  'peers.endpoint': {
    help: 'Address or name of the peer, and its port; without it the peer must connect first. A peer that moves is followed until this changes.',
    example: '198.51.100.7:51820',
  },
  'peers.persistentKeepaliveInterval': {
    help: 'Time between two packets that keep the path through firewalls open, in whole seconds; 0 sends none, and it is not negative.',
    example: '25s',
    default: '0s',
  },
  'peers.allowedIPs': {
    help: 'Networks that are reached through the peer, at most 10000 for all peers. Each belongs to one peer.',
    example: ['198.51.100.0/24'],
  },
};
