import type { EffectiveConfig } from '@nodewright/machine-config';
import type { EtcdConfigSpec } from '@nodewright/state/kinds';
import { splitSubnets } from './addresses.ts';

/** Whether the configuration makes the node an etcd member: a control plane with the CA of etcd. */
export function wantsEtcd({ machineType, etcd }: Pick<EffectiveConfig, 'machineType' | 'etcd'>): boolean {
  return (machineType === 'controlplane' || machineType === 'init') && etcd.ca !== undefined;
}

/**
 * The etcd settings in a configuration; `undefined` when the node runs no etcd.
 *
 * @param sharedAddresses virtual IP addresses, which no node may advertise, nor listen on alone
 *
 * Source: Talos v1.14: EtcdConfigs.
 */
export function etcdConfigFrom(
  config: Pick<EffectiveConfig, 'machineType' | 'etcd'>,
  sharedAddresses: readonly string[],
): EtcdConfigSpec | undefined {
  if (!wantsEtcd(config)) return undefined;
  const { image, extraArgs, advertisedSubnets, listenSubnets } = config.etcd;
  const advertise = splitSubnets(advertisedSubnets);
  const listen = splitSubnets(listenSubnets);
  const hasListenSubnets = listen.valid.length + listen.excluded.length > 0;
  return {
    advertiseValidSubnets: advertise.valid,
    advertiseExcludeSubnets: [...advertise.excluded, ...sharedAddresses],
    listenValidSubnets: listen.valid,
    // An etcd that listened on a virtual address would restart whenever the address moves. Without subnets it listens everywhere.
    listenExcludeSubnets: hasListenSubnets ? [...listen.excluded, ...sharedAddresses] : [],
    image,
    extraArgs: Object.fromEntries(
      Object.entries(extraArgs).map(([name, values]) => [name, { values: [...values] }]),
    ),
  };
}
