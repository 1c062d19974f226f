// The KubeletConfiguration of a node. Source: Kubernetes: KubeletConfiguration (v1beta1). Source: Talos v1.14: kubelet service.
import { Fault } from '@nodewright/fault';
import type { JsonObject, JsonValue } from '@nodewright/state';
import type { KubeletConfigSpec } from '@nodewright/state/kinds';
import { resolverFolder } from '../network/resolver-folder.ts';
import { kubeletPaths, kubeletPorts } from './kubelet-paths.ts';

/** What decides about the configuration besides the settings of the user. */
export interface KubeletPlace {
  readonly isControlPlane: boolean;
  /** Whether the node can limit processor and memory of pods. */
  readonly limitsPods: boolean;
}

/** Only the node sets these. Source: Talos v1.14: protected kubelet fields. */
const protectedFields = [
  ...['apiVersion', 'authentication', 'authorization', 'cgroupRoot', 'kind', 'kubeletCgroups', 'port'],
  ...['protectKernelDefaults', 'resolvConf', 'rotateCertificates', 'systemCgroups', 'staticPodPath'],
  'seccompDefault',
];

/**
 * The configuration with the fields of the user: maps are merged, other values replaced.
 *
 * @throws Fault `invalid-argument` for a field that only the node sets
 */
export function kubeletConfiguration(spec: KubeletConfigSpec, place: KubeletPlace): JsonObject {
  const refused = protectedFields.filter((name) => Object.hasOwn(spec.extraConfig, name));
  if (refused.length > 0) {
    const names = refused.map((name) => `"${name}"`).join(', ');
    throw new Fault('invalid-argument', `config of the kubelet sets ${names}, which the node sets itself`);
  }
  return merge(ownConfiguration(spec, place), spec.extraConfig);
}

function ownConfiguration(spec: KubeletConfigSpec, { isControlPlane, limitsPods }: KubeletPlace): JsonObject {
  const registers = !spec.skipNodeRegistration;
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    ...(!spec.disableManifestsDirectory && { staticPodPath: `${kubeletPaths.settings}/manifests` }),
    // By default it looks every 20 s, so the control plane of a node would start up to 20 s after its etcd.
    ...(spec.staticPodListURL !== '' && { staticPodURL: spec.staticPodListURL, httpCheckFrequency: '2s' }),
    address: '0.0.0.0',
    port: kubeletPorts.api,
    healthzBindAddress: '127.0.0.1',
    healthzPort: kubeletPorts.health,
    authentication: {
      x509: { clientCAFile: kubeletPaths.ca },
      webhook: { enabled: registers },
      anonymous: { enabled: false },
    },
    authorization: { mode: registers ? 'Webhook' : 'AlwaysAllow' },
    cgroupRoot: '/',
    systemCgroups: '/system',
    kubeletCgroups: '/podruntime/kubelet',
    // Without the controllers of processor and memory a group for each pod could not be created.
    ...(!limitsPods && { cgroupsPerQOS: false, enforceNodeAllocatable: ['none'] }),
    rotateCertificates: true,
    protectKernelDefaults: true,
    failSwapOn: false,
    serializeImagePulls: false,
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    ...(spec.defaultRuntimeSeccompEnabled && { seccompDefault: true }),
    ...(spec.enableFSQuotaMonitoring && {
      featureGates: { LocalStorageCapacityIsolationFSQuotaMonitoring: true },
    }),
    oomScoreAdj: -450,
    clusterDomain: spec.clusterDomain,
    clusterDNS: spec.clusterDNS,
    systemReserved: {
      cpu: '50m',
      memory: isControlPlane ? '512Mi' : '384Mi',
      pid: '100',
      'ephemeral-storage': '256Mi',
    },
    shutdownGracePeriod: '30s',
    shutdownGracePeriodCriticalPods: '10s',
    streamingConnectionIdleTimeout: '5m0s',
    tlsMinVersion: 'VersionTLS13',
    // Not the one below /etc, which belongs to the engine in a container: its server has a loopback address.
    resolvConf: `${resolverFolder}/resolv.conf`,
    logging: { format: 'json' },
    ...taintsOf(spec),
  };
}

/** Flags of the user replace them. A taint is `value:effect`, or an effect alone. */
function taintsOf({ registerWithTaints, extraArgs }: KubeletConfigSpec): JsonObject {
  const taints = Object.entries(registerWithTaints).sort(([a], [b]) => (a < b ? -1 : 1));
  if (taints.length === 0 || Object.hasOwn(extraArgs, 'register-with-taints')) return {};
  return {
    registerWithTaints: taints.map(([key, text]) => {
      const colon = text.indexOf(':');
      const value = text.slice(0, Math.max(colon, 0));
      return { key, ...(value !== '' && { value }), effect: text.slice(colon + 1) };
    }),
  };
}

function merge(own: JsonObject, other: JsonObject): JsonObject {
  const merged: Record<string, JsonValue> = { ...own };
  for (const [name, value] of Object.entries(other)) {
    const before = Object.hasOwn(own, name) ? own[name] : undefined;
    merged[name] = isMap(before) && isMap(value) ? merge(before, value) : value;
  }
  return merged;
}

function isMap(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
