import type { MaintenanceServiceConfigSpec } from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';

export interface MaintenanceFacts {
  /** Whether the API is served on the SideroLink address only. */
  readonly hasSiderolink: boolean;
  /** The addresses of the node, without prefix lengths. */
  readonly addresses: readonly string[];
  /** host:port without SideroLink. */
  readonly listenAddress: string;
  readonly port: number;
}

/**
 * Where a node without a configuration serves its API; undefined while it waits for its SideroLink address.
 * Source: Talos v1.14: MaintenanceServiceConfig.
 */
export function maintenanceConfig(facts: MaintenanceFacts): MaintenanceServiceConfigSpec | undefined {
  const { hasSiderolink, addresses, listenAddress, port } = facts;
  if (!hasSiderolink) return { listenAddress, reachableAddresses: addresses };
  const own = addresses.find(isSiderolinkAddress);
  return own === undefined ? undefined : { listenAddress: `[${own}]:${port}`, reachableAddresses: [own] };
}

/**
 * A unique local address whose first byte is fd and whose eighth is 03. Source: Talos v1.14: SideroLink
 * addresses.
 */
export function isSiderolinkAddress(address: string): boolean {
  if (!isIpAddress(address) || !address.includes(':')) return false;
  const [head = '', tail] = address.toLowerCase().split('::', 2);
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array.from({ length: gap }, () => '0'), ...last].map((group) =>
    Number.parseInt(group, 16),
  );
  return ((groups[0] ?? 0) & 0xff00) === 0xfd00 && ((groups[3] ?? 0) & 0x00ff) === 0x03;
}
