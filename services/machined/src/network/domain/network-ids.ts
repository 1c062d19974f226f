import type { OperatorSpecSpec, ProbeSpecSpec, RouteStatusSpec } from '@nodewright/state/kinds';

/** The fields of a route that make its id. */
export type RouteKey = Pick<RouteStatusSpec, 'table' | 'family' | 'gateway' | 'dst' | 'priority'> & {
  readonly outLinkName: string;
};

/** `inet4/10.0.0.1//1024`, `eth0/inet6//fe80::/64/256`. Source: Talos v1.14: COSI resources, network ids. */
export function routeId({ table, family, outLinkName, gateway, dst, priority }: RouteKey): string {
  const tablePart = table === 'main' ? '' : `${table}/`;
  const linkPart = family === 'inet6' ? `${outLinkName}/` : '';
  return `${tablePart}${linkPart}${family}/${gateway}/${dst}/${priority}`;
}

/** `inet4/32766`. */
export function ruleId(family: string, priority: number): string {
  return `${family}/${String(priority).padStart(5, '0')}`;
}

/** `eth0/10.0.0.1/24`. */
export const addressId = (linkName: string, address: string) => `${linkName}/${address}`;

/** `dhcp4/eth0`, `vip/eth0/10.0.0.9`. */
export function operatorId({ operator, linkName, vip }: OperatorSpecSpec): string {
  return operator === 'vip' ? `vip/${linkName}/${vip.ip}` : `${operator}/${linkName}`;
}

/** `tcp:10.0.0.1:6443`, `http:https://example.org/`. */
export function probeId({ tcp, http }: ProbeSpecSpec): string {
  return tcp.endpoint !== '' ? `tcp:${tcp.endpoint}` : `http:${http.url ?? ''}`;
}
