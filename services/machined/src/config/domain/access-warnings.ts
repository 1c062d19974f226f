import type { EffectiveConfig } from '@nodewright/machine-config';

type Trust = Pick<EffectiveConfig, 'issuingCA' | 'acceptedCAs' | 'cluster'>;

/**
 * Warnings for a user who changes which CAs the node trusts. A configuration that does not accept the current
 * CA locks out all clients with certificates of that CA. It is not refused, because replacing a lost CA
 * requires exactly this.
 */
export function accessWarnings(active: Trust, next: Trust): string[] {
  const before = active.issuingCA?.certificate.trim();
  if (before === undefined) return [];
  const trusted = [next.issuingCA?.certificate ?? '', ...next.acceptedCAs].map((pem) => pem.trim());
  if (trusted.includes(before)) return [];
  const [from, to] = [active.cluster.id, next.cluster.id];
  const cluster = from !== '' && to !== '' && from !== to ? ', and it names another cluster' : '';
  return [
    `this configuration does not accept the current CA${cluster}: the node will reject clients and nodes with its certificates`,
  ];
}
