import type { ConfigReader, EffectiveConfig } from '@nodewright/machine-config';
import type { EtcdConfigSpec } from '@nodewright/state/kinds';
import { splitSubnets } from './addresses.ts';

/** Whether the configuration makes the node an etcd member: a control plane with the CA of etcd. */
export function wantsEtcd({ machineType, etcd }: Pick<EffectiveConfig, 'machineType' | 'etcd'>): boolean {
  return (machineType === 'controlplane' || machineType === 'init') && etcd.ca !== undefined;
}

/**
 * Virtual IP addresses that move between nodes, from both forms of configuration. Source: Talos v1.14:
 * Layer2VIPConfig; virtual IPs.
 */
export function sharedAddressesOf(reader: ConfigReader): string[] {
  const devices = reader.legacy.items('machine', 'network', 'interfaces');
  const legacy = devices
    .flatMap((device) => [device, ...device.items('vlans')])
    .map((device) => device.text('vip', 'ip'));
  const documents = reader.documents('Layer2VIPConfig').map(({ name }) => name);
  return [...legacy, ...documents].filter((address) => address !== '');
}

/**
 * The etcd settings in a configuration; `undefined` when the node runs no etcd.
 *
 * @param sharedAddresses virtual IP addresses, which no node may advertise
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
  return {
    advertiseValidSubnets: advertise.valid,
    advertiseExcludeSubnets: [...advertise.excluded, ...sharedAddresses],
    listenValidSubnets: listen.valid,
    listenExcludeSubnets: listen.excluded,
    image,
    extraArgs: Object.fromEntries(
      Object.entries(extraArgs).map(([name, values]) => [name, { values: [...values] }]),
    ),
  };
}
