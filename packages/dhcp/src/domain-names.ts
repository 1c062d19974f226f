// The names in messages. They reach files, the console and the kernel, so everything that is not plainly a name is dropped.

/** A host name, or a domain, has at most 253 characters, and a label 63. Source: RFC 1123, section 2.1. */
const namePattern =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i;

/** The name, without NULs and the dot at its end; undefined when it is not a name of letters, digits, hyphens and underscores. */
export function nameOfBytes(bytes: Uint8Array): string | undefined {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  const text = Buffer.from(bytes.subarray(0, end)).toString('latin1').replace(/\.$/, '');
  return namePattern.test(text) ? text : undefined;
}

/** Further domains are dropped: each name that is looked up is tried in all of them. */
export const mostSearchDomains = 32;
/** Names that are looked at, also when they are dropped. */
const mostNames = 64;
/** Labels and pointers of a name. One of 253 characters has at most as many labels. */
const mostParts = 128;
const pointer = 0xc0;

/**
 * The domains of option 119. Those that are not names are dropped, and a list that is not one ends where it is damaged. Source: RFC
 * 3397, section 2; RFC 1035, section 4.1.4.
 */
export const searchDomainsOf = (value: Uint8Array): string[] => domainsOf(value, true);

/**
 * The domains of a list in which no name points to another one, such as in messages of IPv6, which zeros may fill up. Source: RFC 8106,
 * section 5.2; RFC 8415, section 10.
 */
export const plainDomainsOf = (value: Uint8Array): string[] => domainsOf(value, false);

function domainsOf(value: Uint8Array, mayPoint: boolean): string[] {
  const domains: string[] = [];
  for (let at = 0, read = 0; at < value.length && domains.length < mostSearchDomains; read += 1) {
    const name = read < mostNames ? readName(value, at, mayPoint) : undefined;
    if (name === undefined) break;
    const text = nameOfBytes(Buffer.from(name.text, 'latin1'));
    if (text !== undefined) domains.push(text);
    at = name.next;
  }
  return [...new Set(domains)];
}

/** A name at an offset, and where the next one begins; undefined when it leads out of the value or in circles, or has too many parts. */
function readName(
  value: Uint8Array,
  start: number,
  mayPoint: boolean,
): { text: string; next: number } | undefined {
  const labels: string[] = [];
  let next: number | undefined;
  let at = start;
  /** A pointer leads to something before the name, or before the previous pointer. */
  let lowest = mayPoint ? start : 0;
  for (let parts = 0; parts < mostParts; parts += 1) {
    const length = value[at];
    if (length === undefined) return undefined;
    if (length === 0) return { text: labels.join('.'), next: next ?? at + 1 };
    if ((length & pointer) === pointer) {
      const low = value[at + 1];
      if (low === undefined) return undefined;
      const target = ((length & ~pointer) << 8) | low;
      if (target >= lowest) return undefined;
      next ??= at + 2;
      lowest = target;
      at = target;
      continue;
    }
    if ((length & pointer) !== 0 || at + 1 + length > value.length) return undefined;
    labels.push(Buffer.from(value.subarray(at + 1, at + 1 + length)).toString('latin1'));
    at += 1 + length;
  }
  return undefined;
}
