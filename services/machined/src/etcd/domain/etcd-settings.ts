import type { EtcdSpecSpec } from '@nodewright/state/kinds';

/** The part of the spec that a restart of etcd depends on. */
type RestartSpec = Pick<
  EtcdSpecSpec,
  'image' | 'extraArgs' | 'listenPeerAddresses' | 'listenClientAddresses'
>;

/**
 * The settings that etcd reads only when it starts, as one text: equal texts need no restart. The advertised addresses
 * are not part of it, because the other members are told of new ones while etcd runs (`etcd.AdvertisedPeerController`).
 *
 * @param usesImage whether etcd runs from the image of its configuration, and not from a program on the host
 */
export function etcdSettings(spec: RestartSpec, usesImage: boolean): string {
  const { image, extraArgs, listenPeerAddresses, listenClientAddresses } = spec;
  const args = Object.entries(extraArgs)
    .map(([name, { values }]) => [name, values] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const listen = [listenPeerAddresses, listenClientAddresses].map((addresses) => [...addresses].sort());
  return JSON.stringify({ args, listen, ...(usesImage && { image }) });
}
