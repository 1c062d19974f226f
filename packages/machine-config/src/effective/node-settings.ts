import type { ConfigReader } from './config-reader.ts';

export interface NodeTaint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
}

/** Settings of the Kubernetes Node object and its addresses. */
export interface NodeSettings {
  readonly node: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly taints: readonly NodeTaint[];
    /** Subnets from which the node addresses are chosen; a leading `!` excludes. */
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

/**
 * Settings when there is no KubeNodeConfig. A control plane gets its role label. It also gets a NoSchedule
 * taint unless workloads are allowed.
 */
function ofLegacy({ legacy, isComplete }: ConfigReader): NodeSettings['node'] {
  const isControlPlane = ['init', 'controlplane'].includes(legacy.text('machine', 'type')) && isComplete;
  const allowsWorkloads =
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
      ...(isControlPlane && !allowsWorkloads ? { [controlPlaneKey]: 'NoSchedule' } : {}),
      ...legacy.textMap('machine', 'nodeTaints'),
    }),
    validSubnets: legacy.texts('machine', 'kubelet', 'nodeIP', 'validSubnets'),
    skipRegistration: legacy.boolean('machine', 'kubelet', 'skipNodeRegistration') ?? false,
    registerWithFQDN: legacy.boolean('machine', 'kubelet', 'registerWithFQDN') ?? false,
  };
}

/** Parses `Effect` or `value:Effect`, split at the first colon. */
function taintsOf(texts: Readonly<Record<string, string>>): NodeTaint[] {
  return Object.entries(texts).map(([key, text]) => {
    const colon = text.indexOf(':');
    return { key, value: text.slice(0, Math.max(colon, 0)), effect: text.slice(colon + 1) };
  });
}
