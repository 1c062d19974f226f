import { Fault } from '@nodewright/fault';

/** What a request asks for, as far as it names its server. */
export interface RequestedNames {
  /** All common names of the subject. */
  readonly commonNames: readonly string[];
  readonly dnsNames: readonly string[];
}

/** What of it can be the name of a node. */
export interface HostNames {
  /** Empty when the request has none that is a host name. */
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  /** The names that are left out because they are no host names, in the order of the request. */
  readonly omittedNames: readonly string[];
}

const label = '[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?';
const hostName = new RegExp(`^${label}(?:\\.${label})*\\.?$`);
/** Resolvers read such a name as an IP address. Source: WHATWG URL, "ends in a number". */
const endsInNumber = /(?:^|\.)(?:\d+|0x[0-9a-f]*)\.?$/i;
const longestName = 253;

/** Whether a text can name one host. A name with `*` stands for others, so it is none. */
const isHostName = (text: string): boolean =>
  text.replace(/\.$/, '').length <= longestName && hostName.test(text) && !endsInNumber.test(text);

/**
 * The host names among those of a request. TLS clients disagree on which of several common names counts, so
 * more than one is refused.
 *
 * @throws Fault `invalid-argument`
 */
export function hostNamesOf({ commonNames, dnsNames }: RequestedNames): HostNames {
  const [commonName = ''] = commonNames;
  if (commonNames.length > 1)
    throw new Fault('invalid-argument', `the CSR has ${commonNames.length} common names, more than one`);
  const asked = commonName === '' ? [] : [commonName];
  return {
    commonName: isHostName(commonName) ? commonName : '',
    dnsNames: dnsNames.filter(isHostName),
    omittedNames: [...new Set([...asked, ...dnsNames])].filter((name) => !isHostName(name)),
  };
}
