import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, inlined, list, object, text } from '../../spec/field-types.ts';
import { imageCacheCopyStatus, imageCacheStatus } from './enumerations.ts';

/** Where images are without a registry. */
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

/** Profiles of seccomp, by name. */
export const seccompProfiles = defineKind({
  type: 'SeccompProfiles.cri.talos.dev',
  defaultNamespace: 'cri',
  spec: {
    name: field(1, text),
    /** Profile JSON object. */
    value: field(2, object),
  },
});
export type SeccompProfileSpec = SpecOf<typeof seccompProfiles>;

/** What every container starts from: `default`, `overrides`. The spec is a specification of OCI. */
export const baseRuntimeSpecConfigs = defineKind({
  type: 'BaseRuntimeSpecConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  spec: { object: inlined(1, object) },
});
export type BaseRuntimeSpecConfigSpec = SpecOf<typeof baseRuntimeSpecConfigs>;

/** Parts of the configuration of containerd, by document. They may hold secrets. */
export const customizationConfigs = defineKind({
  type: 'CustomizationConfigs.cri.talos.dev',
  defaultNamespace: 'cri',
  isSensitive: true,
  spec: {
    /** Containerd TOML fragment. */
    content: field(1, text),
  },
});
export type CustomizationConfigSpec = SpecOf<typeof customizationConfigs>;
