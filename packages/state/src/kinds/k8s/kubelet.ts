import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import {
  bool,
  field,
  list,
  mapOf,
  object,
  ociMount,
  text,
  textMap,
  unlessEmpty,
} from '../../spec/field-types.ts';
import { argValues } from './arg-values.ts';

/** Configuration of the kubelet. */
export const kubeletConfigs = defineKind({
  type: 'KubeletConfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  isSensitive: true,
  spec: {
    image: field(1, text),
    /** Addresses. */
    clusterDNS: field(2, list(text)),
    clusterDomain: field(3, text),
    extraArgs: unlessEmpty(15, mapOf(argValues)),
    extraMounts: unlessEmpty(5, list(ociMount)),
    extraConfig: unlessEmpty(6, object),
    cloudProviderExternal: field(7, bool),
    defaultRuntimeSeccompEnabled: field(8, bool),
    skipNodeRegistration: field(9, bool),
    /** URL from which the kubelet reads static pods. */
    staticPodListURL: field(10, text),
    disableManifestsDirectory: field(11, bool),
    enableFSQuotaMonitoring: field(12, bool),
    credentialProviderConfig: unlessEmpty(13, object),
    /** Taints as `value:effect`, by key. */
    registerWithTaints: unlessEmpty(16, textMap),
  },
});
export type KubeletConfigSpec = SpecOf<typeof kubeletConfigs>;

/** The kubeconfig of the kubelet. */
export const kubeletKubeconfigs = defineKind({
  type: 'KubeletKubeconfigs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  printColumns: {
    Hash: '{.hash}',
  },
  spec: {
    /** Hash of the content of the kubeconfig. */
    hash: field(1, text),
  },
});
export type KubeletKubeconfigSpec = SpecOf<typeof kubeletKubeconfigs>;

/** `kubelet` exists while the kubelet may run. A controller that needs the kubelet adds a finalizer to it. */
export const kubeletLifecycles = defineKind({
  type: 'KubeletLifecycles.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  spec: {},
});
export type KubeletLifecycleSpec = SpecOf<typeof kubeletLifecycles>;

/** Parameters with which the kubelet is started. */
export const kubeletSpecs = defineKind({
  type: 'KubeletSpecs.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  isSensitive: true,
  spec: {
    image: field(1, text),
    args: unlessEmpty(2, list(text)),
    extraMounts: unlessEmpty(3, list(ociMount)),
    expectedNodename: unlessEmpty(4, text),
    config: field(5, object),
    credentialProviderConfig: unlessEmpty(6, object),
  },
});
export type KubeletSpecSpec = SpecOf<typeof kubeletSpecs>;

/** Status of the running kubelet. */
export const kubeletStatuses = defineKind({
  type: 'KubeletStatuses.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'kubelet',
  printColumns: {
    Image: '{.image}',
  },
  spec: {
    /** Image of the running kubelet. */
    image: field(1, text),
  },
});
export type KubeletStatusSpec = SpecOf<typeof kubeletStatuses>;
