import type { EtcdSpecSpec } from '@nodewright/state/kinds';

/** The part of the spec that a restart of etcd depends on. */
type RestartSpec = Pick<
  EtcdSpecSpec,
  'image' | 'extraArgs' | 'listenPeerAddresses' | 'listenClientAddresses'
>;

/**
 * The settings that etcd reads only at startup, as one text: equal texts need no restart. The advertised
 * addresses are excluded, because `etcd.AdvertisedPeerController` updates them while etcd runs.
 *
 * @param usesImage whether etcd runs from the image in its configuration, not from a program of the host
 */
export function etcdSettings(spec: RestartSpec, usesImage: boolean): string {
  const { image, extraArgs, listenPeerAddresses, listenClientAddresses } = spec;
  const args = Object.entries(extraArgs)
    .map(([name, { values }]) => [name, values] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const listen = [listenPeerAddresses, listenClientAddresses].map((addresses) => [...addresses].sort());
  return JSON.stringify({ args, listen, ...(usesImage && { image }) });
}
