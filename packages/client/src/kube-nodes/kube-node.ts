// The parts of objects of Kubernetes that the life of a node needs. Everything in an answer may be missing.

export interface KubeMetadata {
  readonly name?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly { readonly kind?: string; readonly controller?: boolean }[];
}

export interface KubeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface KubeCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

/** Source: Kubernetes: Node (v1). */
export interface KubeNode {
  readonly metadata?: KubeMetadata;
  readonly spec?: {
    readonly unschedulable?: boolean;
    readonly taints?: readonly KubeTaint[];
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
  };
  readonly status?: {
    readonly conditions?: readonly KubeCondition[];
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
}

/** Source: Kubernetes: Pod (v1). */
export interface KubePod {
  readonly metadata?: KubeMetadata;
  readonly spec?: { readonly nodeName?: string };
  readonly status?: { readonly phase?: string; readonly conditions?: readonly KubeCondition[] };
}

/** The condition `Ready` of a node or a pod; `undefined` when it has none. */
export const readyCondition = ({ status }: Pick<KubeNode | KubePod, 'status'>): KubeCondition | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready');

export const isReady = (object: Pick<KubeNode | KubePod, 'status'>): boolean =>
  readyCondition(object)?.status === 'True';

/** `<namespace>/<name>` of a pod. */
export const podName = ({ metadata }: KubePod): string =>
  `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;
