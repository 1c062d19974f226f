import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, text } from '../../spec/field-types.ts';

/** Whether the configuration files of the control plane are written. */
export const configStatuses = defineKind({
  type: 'ConfigStatuses.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'static-pods',
  printColumns: {
    Ready: '{.ready}',
    'Secrets Version': '{.version}',
  },
  spec: {
    ready: field(1, bool),
    /** A version of the files of each component, with dots between them. */
    version: field(2, text),
  },
});
export type ConfigStatusSpec = SpecOf<typeof configStatuses>;

/** Addresses of control planes, by source: `kube-apiserver`, `discovery`, `controlplane`. */
export const endpoints = defineKind({
  type: 'Endpoints.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  printColumns: {
    Addresses: '{.addresses}',
    Hosts: '{.hosts}',
  },
  spec: {
    addresses: field(1, list(ip)),
    /** Host names of control planes. */
    hosts: field(2, list(text)),
  },
});
export type EndpointSpec = SpecOf<typeof endpoints>;

/** Whether the secret files of the control plane are written. */
export const secretStatuses = defineKind({
  type: 'SecretStatuses.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'static-pods',
  printColumns: {
    Ready: '{.ready}',
    'Secrets Version': '{.version}',
  },
  spec: {
    ready: field(1, bool),
    /** A version of the files of each component, with dots between them. */
    version: field(2, text),
  },
});
export type SecretStatusSpec = SpecOf<typeof secretStatuses>;
