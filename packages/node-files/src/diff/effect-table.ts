import { kubeletPaths } from '../kubelet/kubelet-paths.ts';
import { components, podPaths } from '../kubernetes/pod-paths.ts';

/** When a part of a configuration that is applied to a running node acts. No configuration makes a node restart by itself. */
export type EffectTime = 'at-once' | 'restart' | 'next-start' | 'next-boot' | 'next-upgrade' | 'unknown';

export interface Effect {
  readonly when: EffectTime;
  /** For `restart`: the services and components that restart by themselves. For `next-start`: those that have to be restarted. */
  readonly services?: readonly string[];
  /** What happens, in one line. */
  readonly text: string;
}

const atOnce = (text: string): Effect => ({ when: 'at-once', text });
const restarts = (...services: readonly string[]): Effect => ({
  when: 'restart',
  services,
  text: `${listOf(services)} ${services.length === 1 ? 'restarts' : 'restart'}`,
});
/** Control planes replace the pod of their API server one after the other, and other pods at once. */
const restartsInTurn = (...others: readonly string[]): Effect => ({
  ...restarts('kube-apiserver', ...others),
  text: `${restarts('kube-apiserver', ...others).text}, ${others.length === 0 ? '' : 'kube-apiserver '}on one control plane after the other`,
});
const needsRestart = (service: string): Effect => ({
  when: 'next-start',
  services: [service],
  text: `acts when ${service} restarts`,
});
const listOf = (names: readonly string[]) => names.join(', ').replace(/, ([^,]*)$/, ' and $1');
const nextBoot = (text = 'acts after the next boot'): Effect => ({ when: 'next-boot', text });

/**
 * What becomes of each difference. The first row that matches counts. Names are those of `ProofDifference`.
 *
 * Source: Talos v1.14: ApplyConfiguration.
 */
const rows: readonly (readonly ['file' | 'setting', RegExp, Effect])[] = [
  ['file', /^static pod kube-apiserver$/, restartsInTurn()],
  ['file', /^static pod kube-controller-manager$/, restarts('kube-controller-manager')],
  ['file', /^static pod kube-scheduler$/, restarts('kube-scheduler')],
  ['file', /^static pod /, atOnce('the kubelet starts the pod anew')],
  ['file', below(podPaths.config('kube-apiserver')), restartsInTurn()],
  ['file', below(podPaths.secrets('kube-apiserver')), restartsInTurn()],
  ['file', below(podPaths.config('kube-scheduler')), restarts('kube-scheduler')],
  ['file', /^(?:container|command line) of the kubelet$/, restarts('kubelet')],
  ['file', below(kubeletPaths.settings), restarts('kubelet')],
  ['file', /^manifest/, atOnce('a control plane applies the manifest to the cluster')],
  ['file', /^Node object$/, atOnce('the Node object changes')],
  ['file', /^\/etc\/cri\//, atOnce('containerd reads it with the next pull')],
  ['file', /^kernel parameters$/, atOnce('the kernel gets the values')],
  ['file', /^\/etc\/(?:hosts|resolv\.conf)$/, atOnce('programs read it with their next look-up')],

  [
    'setting',
    /^controlPlane\.(?:apiServer|authentication|authorizers|auditPolicy|admissionPlugins)\b/,
    restartsInTurn(),
  ],
  [
    'setting',
    /^identity\.ca\b/,
    {
      ...restarts('kube-controller-manager', 'kube-scheduler', 'kubelet'),
      text: 'kube-controller-manager, kube-scheduler and kubelet restart, and kube-apiserver reads its certificates again',
    },
  ],
  ['setting', /^identity\.serviceAccount\.key\b/, restartsInTurn('kube-controller-manager')],
  ['setting', /^identity\.(?:serviceAccount|encryption)\b/, restartsInTurn()],
  ['setting', /^identity\.aggregatorCA\b/, atOnce('kube-apiserver reads its certificates again')],
  ['setting', /^identity\.bootstrapToken\b/, restarts('kubelet')],
  ['setting', /^identity\.adminLifetimeMs\b/, atOnce('the next kubeconfig of an administrator has it')],
  [
    'setting',
    /^cluster\.apiServerSANs\b/,
    atOnce('kube-apiserver gets another certificate, and reads it again'),
  ],
  ['setting', /^controlPlane\.(?:controllerManager|nodeMasks)\b/, restarts('kube-controller-manager')],
  ['setting', /^controlPlane\.scheduler\b/, restarts('kube-scheduler')],
  ['setting', /^controlPlane\.staticPods\b/, atOnce('the kubelet starts the pod anew')],
  ['setting', /^manifests\b/, atOnce('a control plane applies the manifest to the cluster')],
  ['setting', /^kubelet\b/, restarts('kubelet')],
  ['setting', /^node\.(?:validSubnets|skipRegistration|registerWithFQDN)\b/, restarts('kubelet')],
  ['setting', /^node\./, atOnce('the Node object changes')],
  ['setting', /^install\b/, { when: 'next-upgrade', text: 'acts with the next installation or upgrade' }],
  ['setting', /^registries\.auths\b/, needsRestart('cri')],
  ['setting', /^baseRuntimeSpec\b/, needsRestart('cri')],
  ['setting', /^registries\b/, atOnce('containerd reads it with the next pull')],
  [
    'setting',
    /^(?:environment|debug)\b/,
    { when: 'next-start', text: 'each service gets it when it starts' },
  ],
  ['setting', /^encryption\b/, nextBoot('acts after the next boot, or never on a volume that exists')],
  [
    'setting',
    /^kernelModules\[\d+\]\.parameters\b/,
    nextBoot('a module that is loaded keeps its parameters until the next boot'),
  ],
  ['setting', /^v1alpha1\.machine\.(?:files|disks)\b/, nextBoot()],
  ['setting', /^VolumeConfig\b/, nextBoot('acts after the next boot, or never on a volume that exists')],
  [
    'setting',
    /^(?:User|Raw|Swap|External|Existing)VolumeConfig\b/,
    atOnce('a volume that is new is made; one that exists stays'),
  ],
  ['setting', /^(?:etcd|v1alpha1\.cluster\.etcd)\b/, needsRestart('etcd')],
  [
    'setting',
    /^(?:machineType|isComplete)$/,
    { when: 'unknown', text: 'the type of a node does not change: reset it, and join it again' },
  ],
  [
    'setting',
    /^(?:sysctls|sysfs|kernelModules|udevRules|hostname|resolvers|hostDNS|time|staticHosts|kubePrism|kubeSpan|logDestinations|kernelLogDestinations|eventSink|watchdog|trustedRoots|zswap|extensionServices|certSANs|acceptedCAs|imageCacheEnabled|talosAPIAccess|nodeAddressSortAlgorithm|usesDefaultDhcp)\b/,
    atOnce('the node changes it at once'),
  ],
  [
    'setting',
    /^(?:Link|Bond|Bridge|DummyLink|Veth|VLAN|VRF|Wireguard|Ethernet|LinkAlias|BlackholeRoute|RoutingRule|DHCPv4|DHCPv6|Layer2VIP|HCloudVIP|NetworkRule|NetworkDefaultAction|TCPProbe|HTTPProbe)Config\b|^v1alpha1\.machine\.network\b/,
    atOnce('the node changes its network at once'),
  ],
];

function below(folder: string): RegExp {
  return new RegExp(`^${folder.replaceAll('.', '\\.')}/`);
}

/**
 * What a difference does to a running node to which the second configuration is applied.
 *
 * @param runsComponents whether the node runs the components of the control plane
 */
export function effectOf(of: 'file' | 'setting', name: string, runsComponents: boolean): Effect {
  const effect = rows.find(([kind, pattern]) => kind === of && pattern.test(name))?.[2] ?? {
    when: 'unknown',
    text: 'nothing here says when it acts',
  };
  const { services } = effect;
  if (runsComponents || services === undefined) return effect;
  const own = services.filter((service) => !components.some((component) => component === service));
  if (own.length === services.length) return effect;
  return own.length === 0 ? atOnce('only control planes use it') : restarts(...own);
}
