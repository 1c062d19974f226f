import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text } from '../../spec/field-types.ts';
import { configLayer } from './enumerations.ts';

/** The current host name of the node. */
export const hostnameStatuses = defineKind({
  type: 'HostnameStatuses.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'hostname',
  aliases: ['hostname'],
  printColumns: {
    Hostname: '{.hostname}',
    Domainname: '{.domainname}',
  },
  spec: {
    /** Host name without the domain. */
    hostname: field(1, text),
    /** Domain, or empty. */
    domainname: field(2, text),
  },
});
export type HostnameStatusSpec = SpecOf<typeof hostnameStatuses>;

export const hostnameSpecsFields = {
  hostname: field(1, text),
  domainname: field(2, text),
  layer: field(3, configLayer),
};

/** The desired host name. The namespace `network-config` has one per layer. */
export const hostnameSpecs = defineKind({
  type: 'HostnameSpecs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'hostname',
  spec: hostnameSpecsFields,
});
export type HostnameSpecSpec = SpecOf<typeof hostnameSpecs>;
