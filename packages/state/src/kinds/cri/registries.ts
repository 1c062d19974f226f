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
  /** Use path verbatim. */
  overridePath: field(2, bool),
});
export type RegistryEndpointConfig = ValueOf<typeof registryEndpointConfig>;

const registryMirrorConfig = message({
  endpoints: field(1, list(registryEndpointConfig)),
  /** No upstream fallback. */
  skipFallback: unlessEmpty(3, bool),
});
export type RegistryMirrorConfig = ValueOf<typeof registryMirrorConfig>;

const registryAuthConfig = message({
  username: unlessEmpty(1, text),
  password: unlessEmpty(2, text),
  /** Base64 user:pass. */
  auth: unlessEmpty(3, text),
  identityToken: unlessEmpty(4, text),
});
export type RegistryAuthConfig = ValueOf<typeof registryAuthConfig>;

const registryTlsConfig = message({
  clientIdentity: unlessEmpty(1, optional(certificateAndKey)),
  /** PEM (base64). */
  ca: unlessEmpty(2, base64Text),
  insecureSkipVerify: unlessEmpty(3, bool),
});
export type RegistryTLSConfig = ValueOf<typeof registryTlsConfig>;

/** How registries are reached. It holds passwords and keys. */
export const registryConfigs = defineKind({
  type: 'RegistryConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  singleton: 'registries',
  isSensitive: true,
  spec: {
    /** Registry host → mirror configuration. */
    mirrors: unlessEmpty(1, mapOf(registryMirrorConfig)),
    /** Host → auth. */
    auths: unlessEmpty(2, mapOf(registryAuthConfig)),
    /** Host → TLS. */
    tls: unlessEmpty(3, mapOf(registryTlsConfig)),
  },
});
export type RegistryConfigSpec = SpecOf<typeof registryConfigs>;
