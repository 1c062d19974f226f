import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, list, message, object, text, type ValueOf } from '../../spec/field-types.ts';

const admissionPluginSpec = message({
  name: field(1, text),
  configuration: field(2, object),
});
export type AdmissionPluginSpec = ValueOf<typeof admissionPluginSpec>;

const authorizationAuthorizersSpec = message({
  /** `Node`, `RBAC` or `Webhook`. */
  type: field(1, text),
  name: field(2, text),
  webhook: field(3, object),
});
export type AuthorizationAuthorizersSpec = ValueOf<typeof authorizationAuthorizersSpec>;

/** Admission plugins of the API server. */
export const admissionControlConfigs = defineKind({
  type: 'AdmissionControlConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'admission-control',
  spec: {
    config: field(1, list(admissionPluginSpec)),
  },
});
export type AdmissionControlConfigSpec = SpecOf<typeof admissionControlConfigs>;

/** Audit policy of the API server. */
export const auditPolicyConfigs = defineKind({
  type: 'AuditPolicyConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'audit-policy',
  isSensitive: true,
  spec: {
    /** Kubernetes audit Policy object. */
    config: field(1, object),
  },
});
export type AuditPolicyConfigSpec = SpecOf<typeof auditPolicyConfigs>;

/** Authentication configuration of the API server. */
export const authenticationConfigs = defineKind({
  type: 'AuthenticationConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'authentication-config',
  isSensitive: true,
  spec: {
    config: field(1, object),
  },
});
export type AuthenticationConfigSpec = SpecOf<typeof authenticationConfigs>;

/** Authorization configuration of the API server. */
export const authorizationConfigs = defineKind({
  type: 'AuthorizationConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'authorization',
  isSensitive: true,
  spec: {
    /** Image of the API server, which determines the API version of the configuration. */
    image: field(1, text),
    /** Authorizers, in order. */
    config: field(2, list(authorizationAuthorizersSpec)),
  },
});
export type AuthorizationConfigSpec = SpecOf<typeof authorizationConfigs>;
