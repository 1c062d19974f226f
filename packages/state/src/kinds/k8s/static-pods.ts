import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, inlined, object, text } from '../../spec/field-types.ts';

/** Static pods, which the kubelet runs without the API server. The spec is the pod. */
export const staticPods = defineKind({
  type: 'StaticPods.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  spec: { pod: inlined(1, object) },
});
export type StaticPodSpec = SpecOf<typeof staticPods>;

/** Address of the server from which the kubelet reads static pods. */
export const staticPodServerStatuses = defineKind({
  type: 'StaticPodServerStatuses.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  singleton: 'static-pod-server-status',
  spec: {
    /** `http://127.0.0.1:<port>`. */
    url: field(1, text),
  },
});
export type StaticPodServerStatusSpec = SpecOf<typeof staticPodServerStatuses>;

/** Static pods as reported by the kubelet, with IDs `<namespace>/<name>`. The spec is the pod status. */
export const staticPodStatuses = defineKind({
  type: 'StaticPodStatuses.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  aliases: ['podstatus'],
  printColumns: {
    Ready: '{.conditions[?(@.type=="Ready")].status}',
  },
  spec: { podStatus: inlined(1, object) },
});
export type StaticPodStatusSpec = SpecOf<typeof staticPodStatuses>;
