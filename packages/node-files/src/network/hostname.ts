import { createHash } from 'node:crypto';

/** A hostname, and its domain; an empty domain means none. */
export interface HostName {
  readonly hostname: string;
  readonly domainname: string;
}

/** Splits `node01.example.org` at its first dot. */
export function parseHostname(text: string): HostName {
  const [hostname = '', ...domain] = text.split('.');
  return { hostname, domainname: domain.join('.') };
}

/** Name and domain in one text. */
export function fullHostname({ hostname, domainname }: HostName): string {
  return domainname === '' ? hostname : `${hostname}.${domainname}`;
}

/**
 * A name that is the same for the lifetime of the machine.
 *
 * @param nodeId as in `Identities` Source: Talos v1.14: COSI resources, stable hostname.
 */
export function stableHostname(nodeId: string): string {
  const text = createHash('sha256').update(nodeId).digest().readBigUInt64BE().toString(36);
  return `talos-${text.slice(1, 4)}-${text.slice(4, 7)}`;
}

/** A name from an address such as `10.0.0.1/24`: `talos-10-0-0-1`. */
export function addressHostname(address: string): string {
  const [bare = ''] = address.split('/', 1);
  return `talos-${bare.replace(/[.:]+/g, '-').replace(/-$/, '')}`;
}

/**
 * The hostname in a form that Kubernetes accepts: lower-case letters, digits, dots and hyphens, with a letter
 * or digit at both ends.
 */
export function nodenameFromHostname(text: string): string {
  return text
    .toLowerCase()
    .replace(/_/g, '-')
    .replace(/[^a-z0-9.-]/g, '')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
}
