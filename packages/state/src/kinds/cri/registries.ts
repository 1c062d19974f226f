import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  base64Text,
  bool,
  certificateAndKey,
  field,
  list,
  mapOf,
  message,
  optional,
  text,
  unlessEmpty,
  type ValueOf,
} from '../../spec/field-types.ts';

const registryEndpointConfig = message({
  endpoint: field(1, text),
  /** Use the path of the endpoint without adding `/v2`. */
  overridePath: field(2, bool),
});
export type RegistryEndpointConfig = ValueOf<typeof registryEndpointConfig>;

const registryMirrorConfig = message({
  endpoints: field(1, list(registryEndpointConfig)),
  /** Do not fall back to the registry itself. */
  skipFallback: unlessEmpty(3, bool),
});
export type RegistryMirrorConfig = ValueOf<typeof registryMirrorConfig>;

const registryAuthConfig = message({
  username: unlessEmpty(1, text),
  password: unlessEmpty(2, text),
  /** Base64 of `user:password`. */
  auth: unlessEmpty(3, text),
  identityToken: unlessEmpty(4, text),
});
export type RegistryAuthConfig = ValueOf<typeof registryAuthConfig>;

const registryTlsConfig = message({
  clientIdentity: unlessEmpty(1, optional(certificateAndKey)),
  /** CA certificate: PEM, as base64 in YAML. */
  ca: unlessEmpty(2, base64Text),
  insecureSkipVerify: unlessEmpty(3, bool),
});
export type RegistryTLSConfig = ValueOf<typeof registryTlsConfig>;

/** Mirrors, credentials and TLS settings of registries. They contain passwords and keys. */
export const registryConfigs = defineKind({
  type: 'RegistryConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  singleton: 'registries',
  isSensitive: true,
  spec: {
    /** Mirrors by registry host. */
    mirrors: unlessEmpty(1, mapOf(registryMirrorConfig)),
    /** Credentials by registry host. */
    auths: unlessEmpty(2, mapOf(registryAuthConfig)),
    /** TLS settings by registry host. */
    tls: unlessEmpty(3, mapOf(registryTlsConfig)),
  },
});
export type RegistryConfigSpec = SpecOf<typeof registryConfigs>;
