import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { field, inlined, object, text } from '../../spec/field-types.ts';

/** Pods that kubelet starts without being told by Kubernetes. The spec is the pod. */
export const staticPods = defineKind({
  type: 'StaticPods.kubernetes.talos.dev',
  defaultNamespace: 'k8s',
  spec: { pod: inlined(1, object) },
});
export type StaticPodSpec = SpecOf<typeof staticPods>;

/** Where kubelet gets static pods. */
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

/** Static pods as kubelet has them, under `<namespace>/<name>`. The spec is the status of the pod. */
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
