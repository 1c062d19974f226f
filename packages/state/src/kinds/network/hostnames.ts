import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, text } from '../../spec/field-types.ts';
import { configLayer } from './enumerations.ts';

/** How the node is called. */
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
    /** Without its domain. */
    hostname: field(1, text),
    /** Domain or empty. */
    domainname: field(2, text),
  },
});
export type HostnameStatusSpec = SpecOf<typeof hostnameStatuses>;

export const hostnameSpecsFields = {
  hostname: field(1, text),
  domainname: field(2, text),
  layer: field(3, configLayer),
};

/** How the node should be called; in `network-config` by layer. */
export const hostnameSpecs = defineKind({
  type: 'HostnameSpecs.net.talos.dev',
  defaultNamespace: 'network',
  singleton: 'hostname',
  spec: hostnameSpecsFields,
});
export type HostnameSpecSpec = SpecOf<typeof hostnameSpecs>;
