// Mistakes that people make when they translate a configuration by hand, planted into one that was converted.
import type { Configuration, YamlMap, YamlValue } from '@nodewright/machine-config';
import { generated } from './conversion-corpus.ts';

/** The configuration that is converted. It has what the mistakes need: two of everything that has an order. */
export const sourceOfMistakes = generated(
  13,
  'controlplane',
  `machine:
  certSANs: [10.5.0.9]
  sysctls: { net.core.somaxconn: "1024", vm.swappiness: "10" }
  sysfs: { devices.a: "1" }
  time: { servers: [a.test, b.test] }
  kubelet: { extraConfig: { maxPods: 50 }, clusterDNS: [10.96.0.99] }
  nodeLabels: { rack: a }
  nodeTaints: { dedicated: "x:NoSchedule" }
  udev: { rules: ['KERNEL=="a"', 'KERNEL=="b"'] }
  kernel: { modules: [{ name: nbd, parameters: [max_part=8] }] }
  network:
    nameservers: [10.5.0.1, 10.5.0.3]
    extraHostEntries: [{ ip: 10.5.0.7, aliases: [registry.test] }]
  registries:
    mirrors:
      docker.io: { endpoints: ["https://m.test", "https://n.test"] }
      ghcr.io: { endpoints: ["https://g.test"], skipFallback: true }
    config: { m.test: { tls: { insecureSkipVerify: true } } }
cluster:
  apiServer:
    certSANs: [api.test, 10.5.0.8]
    extraArgs: { enable-admission-plugins: [NodeRestriction, AlwaysPullImages], v: "2" }
    env: { HTTP_PROXY: http://p.test }
    admissionControl:
      - { name: ImagePolicyWebhook, configuration: { imagePolicy: { allowTTL: 50 } } }
  controllerManager: { extraArgs: { node-monitor-grace-period: 20s } }
  scheduler: { config: { profiles: [{ schedulerName: a }] } }
  extraManifests: ["https://m.test/a.yaml"]
  inlineManifests: [{ name: inline, contents: "kind: A" }]
`,
);

export interface Mistake {
  readonly name: string;
  readonly plant: (configuration: Configuration) => Configuration;
  /** What the line of the difference names. */
  readonly names: RegExp;
}

type Path = readonly (string | number)[];

function changed(
  value: YamlValue | undefined,
  path: Path,
  to: (old: YamlValue | undefined) => YamlValue | undefined,
): YamlValue | undefined {
  const [key, ...rest] = path;
  if (key === undefined) return to(value);
  if (Array.isArray(value))
    return value.flatMap((item, at) => (at === key ? (changed(item, rest, to) ?? []) : [item])) as YamlValue;
  const map = (value ?? {}) as YamlMap;
  const next = changed(map[key], rest, to);
  const { [key]: _, ...others } = map;
  return next === undefined ? others : { ...map, [key]: next };
}

/** Changes a value in the document of a kind; an undefined one removes the key. */
const at =
  (
    kind: string,
    path: Path,
    to: YamlValue | undefined | ((old: YamlValue | undefined) => YamlValue | undefined),
    name?: string,
  ) =>
  (configuration: Configuration): Configuration => {
    const found = configuration.filter(
      (each) => each.kind === kind && (name === undefined || each.value.name === name),
    );
    if (found.length === 0) throw new Error(`no document ${kind} ${name ?? ''}`);
    return configuration.map((each) =>
      each === found[0]
        ? { kind, value: changed(each.value, path, typeof to === 'function' ? to : () => to) as YamlMap }
        : each,
    );
  };

/** Leaves out the documents of a kind, or the one with the name. */
const without = (kind: string, name?: string) => (configuration: Configuration) => {
  const left = configuration.filter(
    (each) => each.kind !== kind || (name !== undefined && each.value.name !== name),
  );
  if (left.length === configuration.length) throw new Error(`no document ${kind} ${name ?? ''}`);
  return left;
};

const reversed = (old: YamlValue | undefined) => [...(old as YamlValue[])].reverse();
const first = (old: YamlValue | undefined) => (old as YamlValue[]).slice(0, 1);

/** Swaps the first two documents of a kind. */
const swapped = (kind: string) => (configuration: Configuration) => {
  const [one, other] = configuration.filter((each) => each.kind === kind);
  if (one === undefined || other === undefined) throw new Error(`fewer than two documents ${kind}`);
  return configuration.map((each) => (each === one ? other : each === other ? one : each));
};

export const mistakes: readonly Mistake[] = [
  {
    name: 'a lost admission plugin',
    plant: without('KubeAdmissionControlConfig', 'ImagePolicyWebhook'),
    names: /admissionPlugins/,
  },
  {
    name: 'admission plugins in another order',
    plant: swapped('KubeAdmissionControlConfig'),
    names: /admissionPlugins\[0\]/,
  },
  {
    name: 'another setting of an admission plugin',
    plant: at(
      'KubeAdmissionControlConfig',
      ['configuration', 'imagePolicy', 'allowTTL'],
      60,
      'ImagePolicyWebhook',
    ),
    names: /allowTTL/,
  },
  {
    name: 'no authentication document, without which the API server does not start',
    plant: without('KubeAuthenticationConfig'),
    names: /authentication.*nodes of upstream/,
  },
  {
    name: 'anonymous clients are let in',
    plant: at('KubeAuthenticationConfig', ['configuration', 'anonymous', 'enabled'], true),
    names: /anonymous\.enabled/,
  },
  {
    name: 'the authorizer of nodes is lost',
    plant: without('KubeAuthorizerConfig', 'node'),
    names: /authorizers.*nodes of upstream/,
  },
  {
    name: 'no authorizer at all',
    plant: without('KubeAuthorizerConfig'),
    names: /authorizers.*nodes of upstream/,
  },
  { name: 'authorizers in another order', plant: swapped('KubeAuthorizerConfig'), names: /authorizers\[0\]/ },
  {
    name: 'no audit policy, of which the section had a default',
    plant: without('KubeAuditPolicyConfig'),
    names: /auditPolicy/,
  },
  {
    name: 'startup probes that the section had not',
    plant: at('KubeAPIServerConfig', ['startupProbes'], undefined),
    names: /startupProbes|startupProbe/,
  },
  {
    name: 'a dropped name of the API server',
    plant: at('KubeAPIServerConfig', ['certExtraSANs'], first),
    names: /apiServerSANs/,
  },
  {
    name: 'a lost flag of the API server',
    plant: at('KubeAPIServerConfig', ['extraArgs', 'v'], undefined),
    names: /extraArgs\.v/,
  },
  {
    name: 'a lost plugin in a flag',
    plant: at('KubeAPIServerConfig', ['extraArgs', 'enable-admission-plugins'], first),
    names: /enable-admission-plugins/,
  },
  {
    name: 'a lost proxy of the API server',
    plant: at('KubeAPIServerConfig', ['env', 'HTTP_PROXY'], undefined),
    names: /environment\.HTTP_PROXY/,
  },
  {
    name: 'another image of the API server',
    plant: at('KubeAPIServerConfig', ['image'], 'registry.k8s.io/kube-apiserver:v1.30.0'),
    names: /apiServer\.image/,
  },
  {
    name: 'a lost flag of the controller manager',
    plant: at('KubeControllerManagerConfig', ['extraArgs'], undefined),
    names: /node-monitor-grace-period/,
  },
  {
    name: 'a lost profile of the scheduler',
    plant: at('KubeSchedulerConfig', ['config'], undefined),
    names: /scheduler\.config/,
  },
  {
    name: 'the mode of kube-proxy that documents have by default',
    plant: at('KubeProxyConfig', ['mode'], undefined),
    names: /proxy\.mode/,
  },
  {
    name: 'no provider for Secrets that were written in plain text',
    plant: at('KubeEtcdEncryptionConfig', ['config', 'resources', 0, 'providers'], first),
    names: /identity\.encryption/,
  },
  {
    name: 'another name of the key for Secrets',
    plant: at(
      'KubeEtcdEncryptionConfig',
      ['config', 'resources', 0, 'providers', 0, 'secretbox', 'keys', 0, 'name'],
      'key1',
    ),
    names: /keys\[0\]\.name/,
  },
  {
    name: 'the taint of control planes is lost',
    plant: at('KubeNodeConfig', ['taints', 'node-role.kubernetes.io/control-plane'], undefined),
    names: /node\.taints\.node-role/,
  },
  {
    name: 'the label of control planes is lost',
    plant: at('KubeNodeConfig', ['labels', 'node-role.kubernetes.io/control-plane'], undefined),
    names: /node\.labels\.node-role/,
  },
  {
    name: 'a field of the kubelet is lost',
    plant: at('KubeletConfig', ['config'], undefined),
    names: /maxPods|kubelet\.config/,
  },
  {
    name: 'the DNS of the kubelet is lost',
    plant: at('KubeletConfig', ['clusterDNS'], undefined),
    names: /clusterDNS/,
  },
  { name: 'a lost mirror', plant: without('RegistryMirrorConfig', 'ghcr.io'), names: /mirrors\.ghcr\.io/ },
  {
    name: 'mirrors in another order',
    plant: at('RegistryMirrorConfig', ['endpoints'], reversed, 'docker.io'),
    names: /mirrors\.docker\.io\.endpoints\[0\]/,
  },
  {
    name: 'a registry is asked again after its mirrors',
    plant: at('RegistryMirrorConfig', ['skipFallback'], undefined, 'ghcr.io'),
    names: /skipFallback/,
  },
  {
    name: 'a certificate of a registry is verified again',
    plant: without('RegistryTLSConfig'),
    names: /tls\.m\.test/,
  },
  {
    name: 'another value of a kernel parameter',
    plant: at('SysctlConfig', ['params', 'vm.swappiness'], '60'),
    names: /sysctls\.vm\.swappiness/,
  },
  {
    name: 'a lost time server',
    plant: at('TimeSyncConfig', ['ntp', 'servers'], first),
    names: /time\.servers\[1\]/,
  },
  {
    name: 'name servers in another order',
    plant: at('ResolverConfig', ['nameservers'], reversed),
    names: /resolvers\.nameServers\[0\]/,
  },
  { name: 'a lost entry of /etc/hosts', plant: without('StaticHostConfig'), names: /staticHosts/ },
  {
    name: 'rules of udev in another order',
    plant: at('UdevRulesConfig', ['rules'], reversed),
    names: /udev/i,
  },
  {
    name: 'a lost parameter of a kernel module',
    plant: at('KernelModuleConfig', ['parameters'], undefined),
    names: /parameters/,
  },
  {
    name: 'a wiped disk',
    plant: at('UnattendedInstallConfig', ['provisioning', 'wipe'], true),
    names: /install\.wipe/,
  },
  {
    name: 'another subnet of pods',
    plant: at('KubeNetworkConfig', ['podSubnets'], ['10.0.0.0/16']),
    names: /podSubnets/,
  },
  {
    name: 'no network plug-in',
    plant: without('KubeFlannelCNIConfig'),
    names: /manifests\.(?:cniName|flannel)/,
  },
  { name: 'a lost manifest', plant: without('KubeExternalManifestConfig'), names: /manifests\.external/ },
  {
    name: 'a lost name of the node itself',
    plant: at('v1alpha1', ['machine', 'certSANs'], undefined),
    names: /[sS]ANs/,
  },
];
