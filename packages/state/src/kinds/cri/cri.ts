import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, inlined, list, object, text } from '../../spec/field-types.ts';
import { imageCacheCopyStatus, imageCacheStatus } from './enumerations.ts';

/** Settings of the image cache, from which nodes get images without a registry. */
export const imageCacheConfigs = defineKind({
  type: 'ImageCacheConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  singleton: 'image-cache',
  printColumns: {
    Status: '{.status}',
    CopyStatus: '{.copyStatus}',
    Roots: '{.roots}',
  },
  spec: {
    status: field(1, imageCacheStatus),
    copyStatus: field(3, imageCacheCopyStatus),
    roots: field(2, list(text)),
  },
});
export type ImageCacheConfigSpec = SpecOf<typeof imageCacheConfigs>;

/** Seccomp profiles, by name. */
export const seccompProfiles = defineKind({
  type: 'SeccompProfiles.cri.talos.dev',
  defaultNamespace: 'cri',
  spec: {
    name: field(1, text),
    /** Profile as a JSON object. */
    value: field(2, object),
  },
});
export type SeccompProfileSpec = SpecOf<typeof seccompProfiles>;

/**
 * Base of the runtime specification of all containers: `default`, `overrides`. The spec is an OCI runtime
 * specification.
 */
export const baseRuntimeSpecConfigs = defineKind({
  type: 'BaseRuntimeSpecConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  spec: { object: inlined(1, object) },
});
export type BaseRuntimeSpecConfigSpec = SpecOf<typeof baseRuntimeSpecConfigs>;

/** Parts of the containerd configuration, by document name. They may contain secrets. */
export const customizationConfigs = defineKind({
  type: 'CustomizationConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  isSensitive: true,
  spec: {
    /** TOML fragment of the containerd configuration. */
    content: field(1, text),
  },
});
export type CustomizationConfigSpec = SpecOf<typeof customizationConfigs>;
