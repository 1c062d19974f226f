// Builds the command line of etcd as data. Source: Talos v1.14: etcd, arguments.
import { etcdPorts } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { EtcdSpecSpec } from '@nodewright/state/kinds';
import { etcdUrl } from './addresses.ts';
import { type EtcdVersion, isAtLeast } from './etcd-version.ts';

/** Paths of the files as the etcd process sees them. */
export interface EtcdPaths {
  readonly data: string;
  readonly secrets: string;
}

/** The initial cluster flags of an etcd without data. */
export interface InitialCluster {
  readonly state: 'new' | 'existing';
  /** Entries such as `name=https://10.0.0.1:2380`, separated by commas. */
  readonly members: string;
}

export interface EtcdArgumentsInit {
  readonly spec: EtcdSpecSpec;
  readonly paths: EtcdPaths;
  readonly version: EtcdVersion;
  /** The initial cluster; `undefined` when the data directory already defines the cluster. */
  readonly initial: InitialCluster | undefined;
}

/** Flags that the configuration must not set. */
const denied = new Set([
  ...['name', 'data-dir', 'auto-tls', 'peer-auto-tls'],
  ...['listen-peer-urls', 'listen-client-urls', 'listen-client-http-urls'],
  ...['client-cert-auth', 'cert-file', 'key-file', 'trusted-ca-file'],
  ...['peer-client-cert-auth', 'peer-cert-file', 'peer-key-file', 'peer-trusted-ca-file'],
  ...['feature-gates', 'watch-progress-notify-interval', 'tls-min-version'],
  ...['experimental-initial-corrupt-check', 'experimental-compact-hash-check-enabled'],
  'experimental-watch-progress-notify-interval',
]);

/** Flags that releases before 3.6 name differently, with their replacements in those releases. */
const before36: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'feature-gates': {
    'experimental-initial-corrupt-check': 'true',
    'experimental-compact-hash-check-enabled': 'true',
  },
  'watch-progress-notify-interval': { 'experimental-watch-progress-notify-interval': '5s' },
};

/**
 * The flags of etcd, sorted by name. A flag of the configuration replaces the node's own where that is
 * allowed.
 *
 * @throws Fault `invalid-argument` for a flag that the configuration must not set
 */
export function etcdArguments(init: EtcdArgumentsInit): string[] {
  const { spec, version } = init;
  const extra = new Map(Object.entries(spec.extraArgs).map(([name, { values }]) => [name, values]));
  const refused = [...extra.keys()].filter((name) => denied.has(name)).sort();
  if (refused.length > 0) {
    const names = refused.map((name) => `"${name}"`).join(', ');
    throw new Fault(
      'invalid-argument',
      `cluster.etcd.extraArgs sets ${names}, which the node sets itself: remove it`,
    );
  }
  const flags = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(ownFlags(init))) {
    const older = isAtLeast(version, 3, 6) ? undefined : before36[name];
    for (const [known, text] of Object.entries(older ?? { [name]: value })) flags.set(known, [text]);
  }
  for (const [name, values] of extra) flags.set(name, values);
  return [...flags]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => values.map((value) => `--${name}=${value}`));
}

function ownFlags({ spec, paths, initial }: EtcdArgumentsInit): Readonly<Record<string, string>> {
  const urls = (addresses: readonly string[], port: number) =>
    addresses.map((address) => etcdUrl(address, port)).join(',');
  const file = (name: string) => `${paths.secrets}/${name}`;
  return {
    name: spec.name,
    'data-dir': paths.data,
    'auto-tls': 'false',
    'peer-auto-tls': 'false',
    'listen-peer-urls': urls(spec.listenPeerAddresses, etcdPorts.peer),
    'listen-client-urls': urls(spec.listenClientAddresses, etcdPorts.client),
    'listen-client-http-urls': urls(spec.listenClientAddresses, etcdPorts.http),
    'client-cert-auth': 'true',
    'cert-file': file('server.crt'),
    'key-file': file('server.key'),
    'trusted-ca-file': file('ca.crt'),
    'peer-client-cert-auth': 'true',
    'peer-cert-file': file('peer.crt'),
    'peer-key-file': file('peer.key'),
    'peer-trusted-ca-file': file('ca.crt'),
    'feature-gates': 'InitialCorruptCheck=true,CompactHashCheck=true',
    'watch-progress-notify-interval': '5s',
    'tls-min-version': 'TLS1.3',
    'initial-advertise-peer-urls': urls(spec.advertisedAddresses, etcdPorts.peer),
    'advertise-client-urls': urls(spec.advertisedAddresses, etcdPorts.client),
    ...(initial === undefined
      ? {}
      : { 'initial-cluster-state': initial.state, 'initial-cluster': initial.members }),
  };
}
