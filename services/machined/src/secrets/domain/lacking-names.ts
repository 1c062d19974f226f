import type { CertSanSpec } from '@nodewright/state/kinds';

/** The names for which a certificate is valid. */
export interface CertifiedNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

/**
 * What of the names and addresses of a node its certificate lacks, although it was asked for: its host name, short and full, and the
 * addresses that it has at present. Clients that connect by one of these cannot verify the node. Other names, such as those of `certSANs`
 * and former addresses, are not the node's own.
 *
 * @param asked the names and addresses of the request
 * @param present the addresses of the node, without prefix lengths
 */
export function lackingNames(
  { dnsNames, ipAddresses }: CertifiedNames,
  asked: CertSanSpec,
  present: readonly string[],
): string[] {
  const names = new Set(dnsNames.map((name) => name.toLowerCase()));
  const addresses = new Set(ipAddresses.map(comparedAddress));
  const isAsked = new Set(asked.ips.map(comparedAddress));
  const [short = ''] = asked.fqdn.split('.', 1);
  const own = new Set([short, asked.fqdn].filter((name) => asked.dnsNames.includes(name)));
  return [
    ...[...own].filter((name) => !names.has(name.toLowerCase())),
    ...present.filter((address) => {
      const canonical = comparedAddress(address);
      return isAsked.has(canonical) && !addresses.has(canonical);
    }),
  ].sort();
}

/** IPv6 addresses have several texts; `URL` writes the shortest. */
function comparedAddress(text: string): string {
  const [bare = ''] = text.split('%', 1);
  return bare.includes(':') ? (URL.parse(`http://[${bare}]/`)?.hostname ?? bare) : bare;
}

const minuteMs = 60_000;
/** How often a worker asks each minute before its pauses grow. */
const evenAttempts = 5;
/** Longest pause, in minutes. */
const longestPauseMinutes = 32;
/** Workers that started at the same moment do not ask at the same moment. */
const jitterMs = 10_000;

/**
 * The pause before a worker asks again for a certificate with all of its names, in ms: a minute five times, then twice as long each time
 * up to 32 minutes.
 *
 * @param asked how often it has asked again for these names
 * @param random returns numbers from 0 to below 1
 */
export function askAgainPauseMs(asked: number, random: () => number): number {
  return withJitter(Math.min(longestPauseMinutes, 2 ** Math.max(0, asked - evenAttempts + 1)), random);
}

/** The pause after a refusal, in ms: the longest one. */
export const longestAskAgainMs = (random: () => number): number => withJitter(longestPauseMinutes, random);

const withJitter = (minutes: number, random: () => number) =>
  minutes * minuteMs + Math.floor(random() * jitterMs);
