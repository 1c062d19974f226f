// On which links a DHCP client of either version runs.
import type { LinkStatusSpec } from '@nodewright/state/kinds';

/** Clients of a version at the same time. Links of containers have none, so a machine has far less. */
export const mostDhcpClients = 256;

const hardwarePattern = /^[0-9a-f]{2}(?::[0-9a-f]{2}){5}$/;
const noHardware = '00:00:00:00:00:00';

/** Why DHCP cannot run on a link; undefined when it can. */
export function reasonAgainstDhcp(link: LinkStatusSpec | undefined): string | undefined {
  if (link === undefined) return 'there is no such network device';
  const { type, hardwareAddr } = link;
  const isEthernet = type === 'ether' && hardwarePattern.test(hardwareAddr) && hardwareAddr !== noHardware;
  return isEthernet ? undefined : 'it is not an Ethernet device';
}

/** Whether a client on a device goes on: also when the device has no status for a moment. */
export const isSameDevice = (
  { index, hardware }: { readonly index: number; readonly hardware: string },
  link: LinkStatusSpec | undefined,
): boolean => link === undefined || (link.index === index && link.hardwareAddr === hardware);

/** Whether a link can carry anything. Source: Talos v1.14: network, DHCPv4. */
export const canCarry = ({ operationalState }: LinkStatusSpec): boolean =>
  operationalState === 'up' || operationalState === 'unknown';
