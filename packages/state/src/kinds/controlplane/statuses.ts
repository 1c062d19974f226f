import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { bool, field, ip, list, text } from '../../spec/field-types.ts';

/** Whether files of configuration are written. */
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
    /** Concatenated input versions (string, no separator). */
    version: field(2, text),
  },
});
export type ConfigStatusSpec = SpecOf<typeof configStatuses>;

/** Where control planes are, by who says so: `kube-apiserver`, `discovery`, `controlplane`. */
export const endpoints = defineKind({
  type: 'Endpoints.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  printColumns: {
    Addresses: '{.addresses}',
    Hosts: '{.hosts}',
  },
  spec: {
    addresses: field(1, list(ip)),
    /** Control-plane host names. */
    hosts: field(2, list(text)),
  },
});
export type EndpointSpec = SpecOf<typeof endpoints>;

/** Whether files of secrets are written. */
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
    /** Version of KubernetesSecrets. */
    version: field(2, text),
  },
});
export type SecretStatusSpec = SpecOf<typeof secretStatuses>;
