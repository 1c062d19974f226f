import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, list, message, object, text, type ValueOf } from '../../spec/field-types.ts';

const admissionPluginSpec = message({
  name: field(1, text),
  configuration: field(2, object),
});
export type AdmissionPluginSpec = ValueOf<typeof admissionPluginSpec>;

const authorizationAuthorizersSpec = message({
  /** `Node`, `RBAC`, `Webhook`. */
  type: field(1, text),
  name: field(2, text),
  webhook: field(3, object),
});
export type AuthorizationAuthorizersSpec = ValueOf<typeof authorizationAuthorizersSpec>;

/** Plugins of the API server. */
export const admissionControlConfigs = defineKind({
  type: 'AdmissionControlConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'admission-control',
  spec: {
    config: field(1, list(admissionPluginSpec)),
  },
});
export type AdmissionControlConfigSpec = SpecOf<typeof admissionControlConfigs>;

/** What the API server records. */
export const auditPolicyConfigs = defineKind({
  type: 'AuditPolicyConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'audit-policy',
  isSensitive: true,
  spec: {
    /** Audit Policy object. */
    config: field(1, object),
  },
});
export type AuditPolicyConfigSpec = SpecOf<typeof auditPolicyConfigs>;

/** Whom the API server believes. */
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

/** What the API server allows. */
export const authorizationConfigs = defineKind({
  type: 'AuthorizationConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'authorization',
  isSensitive: true,
  spec: {
    /** Apiserver image (selects API version). */
    image: field(1, text),
    /** Authorizers in order. */
    config: field(2, list(authorizationAuthorizersSpec)),
  },
});
export type AuthorizationConfigSpec = SpecOf<typeof authorizationConfigs>;
