import type { ConfigReader } from './config-reader.ts';

export interface NodeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** The node as Kubernetes is to see it. */
export interface NodeSettings {
  readonly node: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly taints: readonly NodeTaint[];
    /** Subnets to take the addresses of the node from; `!` negates. */
    readonly validSubnets: readonly string[];
    readonly skipRegistration: boolean;
    readonly registerWithFQDN: boolean;
  };
}

const controlPlaneKey = 'node-role.kubernetes.io/control-plane';

/** Source: Talos v1.14: machine configuration, KubeNodeConfig; values derived from the legacy form. */
export function nodeSettings(reader: ConfigReader): NodeSettings {
  const document = reader.document('KubeNodeConfig');
  return { node: document ? ofDocument(document) : ofLegacy(reader) };
}

function ofDocument(document: NonNullable<ReturnType<ConfigReader['document']>>): NodeSettings['node'] {
  return {
    labels: document.textMap('labels'),
    annotations: document.textMap('annotations'),
    taints: taintsOf(document.textMap('taints')),
    validSubnets: document.texts('nodeIP', 'validSubnets'),
    skipRegistration: document.boolean('skipNodeRegistration') ?? false,
    registerWithFQDN: document.boolean('registerWithFQDN') ?? false,
  };
}

/** Without the document control planes are labelled, and tainted unless workloads are welcome there. */
function ofLegacy({ legacy, isComplete }: ConfigReader): NodeSettings['node'] {
  const isControlPlane = ['init', 'controlplane'].includes(legacy.text('machine', 'type')) && isComplete;
  const welcomesWorkloads =
    legacy.boolean('cluster', 'allowSchedulingOnControlPlanes') ??
    legacy.boolean('cluster', 'allowSchedulingOnMasters') ??
    false;
  return {
    labels: {
      ...(isControlPlane ? { [controlPlaneKey]: '' } : {}),
      ...legacy.textMap('machine', 'nodeLabels'),
    },
    annotations: legacy.textMap('machine', 'nodeAnnotations'),
    taints: taintsOf({
      ...(isControlPlane && !welcomesWorkloads ? { [controlPlaneKey]: 'NoSchedule' } : {}),
      ...legacy.textMap('machine', 'nodeTaints'),
    }),
    validSubnets: legacy.texts('machine', 'kubelet', 'nodeIP', 'validSubnets'),
    skipRegistration: legacy.boolean('machine', 'kubelet', 'skipNodeRegistration') ?? false,
    registerWithFQDN: legacy.boolean('machine', 'kubelet', 'registerWithFQDN') ?? false,
  };
}

/** `Effect`, or `value:Effect`, cut at the first colon. */
function taintsOf(texts: Readonly<Record<string, string>>): NodeTaint[] {
  return Object.entries(texts).map(([key, text]) => {
    const colon = text.indexOf(':');
    return { key, value: text.slice(0, Math.max(colon, 0)), effect: text.slice(colon + 1) };
  });
}
