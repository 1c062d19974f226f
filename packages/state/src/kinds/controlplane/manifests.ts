import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { defineBareSpec } from '../../spec/define-spec.ts';
import {
  bool,
  field,
  inlined,
  list,
  message,
  object,
  text,
  textMap,
  uint16,
  uint32,
  type ValueOf,
} from '../../spec/field-types.ts';
import { resources } from './resources.ts';

const extraManifest = message({
  name: field(1, text),
  url: field(2, text),
  priority: field(3, text),
  extraHeaders: field(4, textMap),
  inlineManifest: field(5, text),
});
export type ExtraManifest = ValueOf<typeof extraManifest>;

const singleManifest = message({
  object: inlined(1, object),
});
export type SingleManifest = ValueOf<typeof singleManifest>;

/** Additional manifests from the machine configuration. */
export const extraManifestsConfigs = defineKind({
  type: 'ExtraManifestsConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'extra-manifests',
  spec: {
    extraManifests: field(1, list(extraManifest)),
  },
});
export type ExtraManifestsConfigSpec = SpecOf<typeof extraManifestsConfigs>;

/** Kubernetes objects to apply, in the order of their IDs. In YAML, the spec is the list of objects. */
export const manifests = defineKind({
  type: 'Manifests.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  codec: defineBareSpec(1, list(singleManifest)),
});
export type ManifestSpec = SpecOf<typeof manifests>;

/** The manifests that were applied to Kubernetes. */
export const manifestStatuses = defineKind({
  type: 'ManifestStatuses.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'manifests',
  spec: {
    /** IDs of the applied manifests. */
    manifestsApplied: field(1, list(text)),
  },
});
export type ManifestStatusSpec = SpecOf<typeof manifestStatuses>;

/** Values for the manifests that every cluster gets. */
export const bootstrapManifestsConfigs = defineKind({
  type: 'BootstrapManifestsConfigs.kubernetes.talos.dev',
  defaultNamespace: 'controlplane',
  singleton: 'manifests',
  spec: {
    /** Endpoint of the API server. */
    string: field(1, text),
    clusterDomain: field(2, text),
    podCIDRs: field(3, list(text)),
    proxyEnabled: field(4, bool),
    proxyImage: field(5, text),
    proxyArgs: field(6, list(text)),
    /** KubeProxyConfiguration object. */
    proxyConfig: field(27, object),
    proxyConfigChecksum: field(29, text),
    proxyResources: field(28, resources),
    coreDNSEnabled: field(7, bool),
    coreDNSImage: field(8, text),
    dnsServiceIP: field(9, text),
    dnsServiceIPv6: field(10, text),
    flannelEnabled: field(11, bool),
    flannelImage: field(12, text),
    flannelExtraArgs: field(16, list(text)),
    flannelKubeServiceHost: field(17, text),
    flannelKubeServicePort: field(18, text),
    flannelKubeNetworkPoliciesEnabled: field(19, bool),
    flannelKubeNetworkPoliciesImage: field(20, text),
    flannelBackendType: field(23, text),
    flannelBackendPort: field(24, uint16),
    flannelBackendMTU: field(22, uint32),
    flannelBackendExtraConfig: field(26, object),
    flannelResources: field(25, resources),
    podSecurityPolicyEnabled: field(14, bool),
    talosAPIServiceEnabled: field(15, bool),
    cniName: field(21, text),
  },
});
export type BootstrapManifestsConfigSpec = SpecOf<typeof bootstrapManifestsConfigs>;
