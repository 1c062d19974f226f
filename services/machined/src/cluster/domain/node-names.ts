import type { NodeRecord } from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';
import type { KeptControlPlane } from './node-record-store.ts';
import { comparedName } from './reserved-names.ts';

/** The host name without its domain, in lower case. */
export const shortName = (name: string): string => name.split('.', 1)[0]?.toLowerCase() ?? '';

/**
 * The names that only this node may have, in lower case and without a last dot: its full hostname, and its nodename unless that is
 * the short form of the hostname. Nodes may share a short form; then it resolves to neither of them.
 */
export function fullNames({ hostname, nodename }: Pick<NodeRecord, 'hostname' | 'nodename'>): string[] {
  const names = nodename.toLowerCase() === shortName(hostname) ? [hostname] : [hostname, nodename];
  return names.filter((name) => name !== '').map(comparedName);
}

/** Names a control plane that has no live record, and says what frees its names and addresses. */
export const absentControlPlane = ({ record, memberId }: KeptControlPlane): string =>
  `control plane "${record.hostname}", which does not answer at the moment; if it is gone for good, "talosctl etcd remove-member ${memberId}" frees its names and addresses`;

/**
 * Whether resolvers read a name as an IP address: a complete address, or a form such as `127.1` or
 * `0x7f000001`. Source: WHATWG URL, "ends in a number".
 */
export function isAddressText(name: string): boolean {
  return isIpAddress(name) || /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name);
}
