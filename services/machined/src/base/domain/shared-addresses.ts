import type { ConfigReader } from '@nodewright/machine-config';

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
