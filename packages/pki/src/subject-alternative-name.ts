import { Fault } from '@nodewright/fault';
import { childrenOf, contentOf, contextPrimitive, type DerValue, isContext, sequence } from './der.ts';
import { bytesFromIpAddress, ipAddressFromBytes } from './ip-address.ts';

/** The two kinds of alternative names that nodes use. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const what = 'subject alternative name';
const dnsNameTag = 2;
const ipAddressTag = 7;
/** TLS libraries interpret names with other characters differently. */
const visibleAscii = /^[\x21-\x7e]+$/;

function checkDnsName(name: string): string {
  if (visibleAscii.test(name)) return name;
  throw new Fault(
    'invalid-argument',
    `DNS name ${JSON.stringify(name)} is not made of visible ASCII characters; use its "xn--" form`,
  );
}

/** The value of the extension. Throws a Fault `invalid-argument` that quotes an invalid address or name. */
export function encodeAlternativeNames({ dnsNames, ipAddresses }: AlternativeNames): DerValue {
  return sequence(
    ...dnsNames.map((name) => contextPrimitive(dnsNameTag, Buffer.from(checkDnsName(name), 'latin1'))),
    ...ipAddresses.map((address) => contextPrimitive(ipAddressTag, bytesFromIpAddress(address))),
  );
}

/** The DNS names and addresses in the value of the extension; other kinds (email, URI) are ignored. */
export function decodeAlternativeNames(value: DerValue): AlternativeNames {
  const names = childrenOf(value, what);
  return {
    dnsNames: names
      .filter((name) => isContext(name, dnsNameTag))
      .map((name) => checkDnsName(contentOf(name, what).toString('latin1'))),
    ipAddresses: names
      .filter((name) => isContext(name, ipAddressTag))
      .map((name) => ipAddressFromBytes(contentOf(name, what))),
  };
}
