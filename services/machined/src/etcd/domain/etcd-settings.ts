import type { EtcdSpecSpec } from '@nodewright/state/kinds';

/** The part of the spec that a restart of etcd depends on. */
type RestartSpec = Pick<
  EtcdSpecSpec,
  'name' | 'image' | 'extraArgs' | 'advertisedAddresses' | 'listenPeerAddresses' | 'listenClientAddresses'
>;

/**
 * The settings that etcd reads only at startup, as one text: equal texts need no restart. They include the name and the advertised
 * addresses, which etcd tells the other members when it starts: it has no call that changes its name or its client URLs.
 *
 * @param usesImage whether etcd runs from the image in its configuration, not from a program of the host
 */
export function etcdSettings(spec: RestartSpec, usesImage: boolean): string {
  const { name, image, extraArgs, advertisedAddresses, listenPeerAddresses, listenClientAddresses } = spec;
  const args = Object.entries(extraArgs)
    .map(([name, { values }]) => [name, values] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const listen = [listenPeerAddresses, listenClientAddresses].map((addresses) => [...addresses].sort());
  const advertised = [...advertisedAddresses].sort();
  return JSON.stringify({ name, args, advertised, listen, ...(usesImage && { image }) });
}
