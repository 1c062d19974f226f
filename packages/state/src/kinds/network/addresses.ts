import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, cidr, field, ip, list, mac, text, uint32, unlessEmpty } from '../../spec/field-types.ts';
import { addressFlags, addressSortAlgorithm, configLayer, family, scope } from './enumerations.ts';

/**
 * Addresses in the kernel, with IDs `<link>/<address>`. The namespace `cluster` has the public address seen
 * by the discovery service.
 */
export const addressStatuses = defineKind({
  type: 'AddressStatuses.net.talos.dev',
  defaultNamespace: 'network',
  aliases: ['address', 'addresses'],
  printColumns: {
    Address: '{.address}',
    Link: '{.linkName}',
  },
  spec: {
    address: field(1, cidr),
    local: unlessEmpty(2, ip),
    broadcast: unlessEmpty(3, ip),
    anycast: unlessEmpty(4, ip),
    multicast: unlessEmpty(5, ip),
    /** Interface index. */
    linkIndex: field(6, uint32),
    linkName: field(7, text),
    family: field(8, family),
    scope: field(9, scope),
    flags: field(10, addressFlags),
    priority: field(11, uint32),
  },
});
export type AddressStatusSpec = SpecOf<typeof addressStatuses>;

export const addressSpecsFields = {
  address: field(1, cidr),
  linkName: field(2, text),
  family: field(3, family),
  scope: field(4, scope),
  flags: field(5, addressFlags),
  announceWithARP: unlessEmpty(6, bool),
  priority: unlessEmpty(8, uint32),
  layer: field(7, configLayer),
};

/**
 * Desired addresses of links. The namespace `network-config` has the addresses of each layer, with IDs
 * `<layer>/<link>/<address>`.
 */
export const addressSpecs = defineKind({
  type: 'AddressSpecs.net.talos.dev',
  defaultNamespace: 'network',
  spec: addressSpecsFields,
});
export type AddressSpecSpec = SpecOf<typeof addressSpecs>;

/**
 * Addresses of the node: `default`, `current`, `accumulative` and `routed`. All but `default` also exist in
 * filtered form, with the suffix `-only-k8s` or `-no-k8s`.
 */
export const nodeAddresses = defineKind({
  type: 'NodeAddresses.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    Addresses: '{.addresses}',
    SortAlgorithm: '{.sortAlgorithm}',
  },
  spec: {
    addresses: field(1, list(cidr)),
    sortAlgorithm: field(2, addressSortAlgorithm),
  },
});
export type NodeAddressSpec = SpecOf<typeof nodeAddresses>;

/** Subnet filters for the filtered node addresses: `only-k8s`, `no-k8s`. */
export const nodeAddressFilters = defineKind({
  type: 'NodeAddressFilters.net.talos.dev',
  defaultNamespace: 'network',
  printColumns: {
    'Include Subnets': '{.includeSubnets}',
    'Exclude Subnets': '{.excludeSubnets}',
  },
  spec: {
    includeSubnets: field(1, list(cidr)),
    excludeSubnets: field(2, list(cidr)),
  },
});
export type NodeAddressFilterSpec = SpecOf<typeof nodeAddressFilters>;

/** The sort order of node addresses. */
export const nodeAddressSortAlgorithms = defineKind({
  type: 'NodeAddressSortAlgorithms.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'default',
  printColumns: {
    Algorithm: '{.algorithm}',
  },
  spec: {
    algorithm: field(1, addressSortAlgorithm),
  },
});
export type NodeAddressSortAlgorithmSpec = SpecOf<typeof nodeAddressSortAlgorithms>;

/** The hardware address that identifies the machine. */
export const hardwareAddresses = defineKind({
  type: 'HardwareAddresses.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'first',
  spec: {
    name: field(1, text),
    hardwareAddr: field(2, mac),
  },
});
export type HardwareAddressSpec = SpecOf<typeof hardwareAddresses>;
