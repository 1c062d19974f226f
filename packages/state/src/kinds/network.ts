import { defineKind } from '../meta/define-kind.ts';
import { defineSpec } from '../spec/define-spec.ts';
import { cidr, enumeration, list, text } from '../spec/field-types.ts';

export interface HostnameStatusSpec {
  readonly hostname: string;
  readonly domainname: string;
}

/** `hostname`: how the node is called. */
export const hostnameStatuses = defineKind<HostnameStatusSpec>({
  type: 'HostnameStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['hostname'],
  printColumns: { Hostname: '{.hostname}', Domainname: '{.domainname}' },
  codec: defineSpec<HostnameStatusSpec>({
    hostname: { number: 1, type: text },
    domainname: { number: 2, type: text },
  }),
});

export interface NodeAddressSpec {
  /** With their prefix lengths. */
  readonly addresses: readonly string[];
  readonly sortAlgorithm: 'v1' | 'v2';
}

/** Where the node is: `default`, `current`, `accumulative`. */
export const nodeAddresses = defineKind<NodeAddressSpec>({
  type: 'NodeAddresses.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: { Addresses: '{.addresses}', SortAlgorithm: '{.sortAlgorithm}' },
  codec: defineSpec<NodeAddressSpec>({
    addresses: { number: 1, type: list(cidr) },
    sortAlgorithm: { number: 2, type: enumeration<NodeAddressSpec['sortAlgorithm']>({ v1: 0, v2: 1 }) },
  }),
});
