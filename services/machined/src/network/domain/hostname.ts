import { createHash } from 'node:crypto';
import { addressOf } from '../../base/domain/prefix.ts';

/** A name, and the domain that it is in; empty: none. */
export interface HostName {
  readonly hostname: string;
  readonly domainname: string;
}

/** Parts `node01.example.org` at its first dot. */
export function parseHostname(text: string): HostName {
  const [hostname = '', ...domain] = text.split('.');
  return { hostname, domainname: domain.join('.') };
}

/** Both parts in one. */
export function fullHostname({ hostname, domainname }: HostName): string {
  return domainname === '' ? hostname : `${hostname}.${domainname}`;
}

/**
 * A name that stays the same as long as the machine does.
 *
 * @param nodeId as in `Identities`
 *
 * Source: Talos v1.14: COSI resources, stable hostname.
 */
export function stableHostname(nodeId: string): string {
  const text = createHash('sha256').update(nodeId).digest().readBigUInt64BE().toString(36);
  return `talos-${text.slice(1, 4)}-${text.slice(4, 7)}`;
}

/** A name from an address such as `10.0.0.1/24`: `talos-10-0-0-1`. */
export function addressHostname(address: string): string {
  return `talos-${addressOf(address).replace(/[.:]+/g, '-').replace(/-$/, '')}`;
}

/** What Kubernetes can take for a name: small letters, digits, dots and hyphens, a letter or digit at both ends. */
export function nodenameFromHostname(text: string): string {
  return text
    .toLowerCase()
    .replace(/_/g, '-')
    .replace(/[^a-z0-9.-]/g, '')
    .replace(/^[.-]+|[.-]+$/g, '');
}
