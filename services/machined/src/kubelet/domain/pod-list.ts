import { encodeYaml, type JsonObject } from '@nodewright/state';

/** Pods as one document, as the kubelet reads them from a URL. Source: Kubernetes: PodList (v1). */
export function podListText(pods: readonly JsonObject[]): string {
  return encodeYaml({ apiVersion: 'v1', kind: 'PodList', items: [...pods] });
}
