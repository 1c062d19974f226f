import type { EffectiveConfig } from '@nodewright/machine-config';

type Trust = Pick<EffectiveConfig, 'issuingCA' | 'acceptedCAs' | 'cluster'>;

/**
 * What a user should know who changes whom the node trusts: after it, those whose certificates are of the CA in force
 * are let in no more. Nothing is refused, since a new CA is how one is changed that is lost.
 */
export function accessWarnings(inForce: Trust, next: Trust): string[] {
  const before = inForce.issuingCA?.certificate.trim();
  if (before === undefined) return [];
  const trusted = [next.issuingCA?.certificate ?? '', ...next.acceptedCAs].map((pem) => pem.trim());
  if (trusted.includes(before)) return [];
  const [from, to] = [inForce.cluster.id, next.cluster.id];
  const cluster = from !== '' && to !== '' && from !== to ? ', and it names another cluster' : '';
  return [
    `the CA in force is not accepted by this configuration${cluster}: clients and nodes with certificates of it will not be let in`,
  ];
}
