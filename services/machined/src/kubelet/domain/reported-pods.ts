import type { JsonObject } from '@nodewright/state';

/** A pod as the kubelet lists it. Source: Kubernetes: Pod (v1). */
export interface ReportedPod {
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: JsonObject;
}

export interface StaticPodReport {
  /** `<namespace>/<name>` */
  readonly id: string;
  readonly status: JsonObject;
  readonly isReady: boolean;
}

/** Where the kubelet has a pod from. Source: Kubernetes: well-known annotations, kubernetes.io/config.source. */
const sourceAnnotation = 'kubernetes.io/config.source';
const staticSources = ['file', 'http'];

/** The static pods among those of a kubelet. */
export function staticPodsOf(pods: readonly ReportedPod[]): StaticPodReport[] {
  return pods.flatMap(({ metadata, status = {} }) => {
    const { name = '', namespace = '', annotations = {} } = metadata ?? {};
    if (!staticSources.includes(annotations[sourceAnnotation] ?? '')) return [];
    return [{ id: `${namespace}/${name}`, status, isReady: hasReadyCondition(status) }];
  });
}

function hasReadyCondition({ conditions }: JsonObject): boolean {
  const all = (Array.isArray(conditions) ? conditions : []) as readonly JsonObject[];
  return all.some(({ type, status }) => type === 'Ready' && status === 'True');
}
