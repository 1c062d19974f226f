import type { Configuration } from '../config-document.ts';
import { clusterSettings } from '../effective/cluster-settings.ts';
import { ConfigReader } from '../effective/config-reader.ts';
import { networkSettings } from '../effective/network-settings.ts';
import type { ValidationMode } from './validate-configuration.ts';

/** Kinds that are allowed only on control planes. Source: Talos v1.14: machine configuration, Kubernetes. */
const controlPlaneKinds = [
  'KubeAPIServerConfig',
  'KubeControllerManagerConfig',
  'KubeSchedulerConfig',
  'KubeProxyConfig',
  'KubeCoreDNSConfig',
  'KubeFlannelCNIConfig',
  'KubeAggregatorCAConfig',
  'KubeServiceAccountConfig',
  'KubeEtcdEncryptionConfig',
  'KubeAdmissionControlConfig',
  'KubeAuditPolicyConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
  'KubeTalosAPIAccessConfig',
];

/**
 * Returns the errors that concern several documents together.
 *
 * Source: Talos v1.14: machine configuration, container-level rules.
 */
export function containerErrors(configuration: Configuration, mode: ValidationMode): string[] {
  const reader = new ConfigReader(configuration);
  const type = reader.legacy.text('machine', 'type');
  const isControlPlane = reader.isComplete && ['init', 'controlplane'].includes(type);
  return [
    ...hostDnsErrors(reader, mode),
    ...clusterErrors(reader, isControlPlane),
    ...dependencyErrors(reader),
    ...(isControlPlane ? [] : misplacedKinds(configuration)),
  ];
}

function hostDnsErrors(reader: ConfigReader, mode: ValidationMode): string[] {
  const { hostDNS, resolvers } = networkSettings(reader);
  const errors: string[] = [];
  if (mode === 'container' && !hostDNS.enabled)
    errors.push('host DNS must be enabled in a container: ResolverConfig hostDNS.enabled');
  else if (mode === 'container' && !hostDNS.forwardKubeDNSToHost)
    errors.push(
      'cluster DNS must be forwarded to host DNS in a container: ResolverConfig hostDNS.forwardKubeDNSToHost',
    );
  if (!hostDNS.enabled && resolvers.nameServers.some(({ protocol }) => protocol !== 'Do53'))
    errors.push('name servers with DoT or DoH need host DNS: ResolverConfig hostDNS.enabled');
  return errors;
}

function clusterErrors(reader: ConfigReader, isControlPlane: boolean): string[] {
  const { cluster, discovery } = clusterSettings(reader);
  const { kubeSpan } = networkSettings(reader);
  const errors: string[] = [];
  if (discovery.enabled && cluster.id === '')
    errors.push('discovery needs the ID of the cluster: DiscoveryIdentityConfig clusterID');
  if (discovery.enabled && cluster.secret === '')
    errors.push('discovery needs the secret of the cluster: DiscoveryIdentityConfig clusterSecret');
  if (kubeSpan.enabled && !discovery.enabled) errors.push('KubeSpan needs discovery: DiscoveryServiceConfig');
  if (isControlPlane && cluster.hasKubernetesIssuingCA && !cluster.hasEtcdEncryption)
    errors.push('a node with the Kubernetes issuing CA needs etcd encryption: KubeEtcdEncryptionConfig');
  return errors;
}

function dependencyErrors(reader: ConfigReader): string[] {
  const needs = new Map(
    reader
      .documents('ContainerConfig')
      .map((document) => [document.name, document.texts('dependsOn', 'containers')]),
  );
  const errors = [...needs].flatMap(([name, others]) =>
    others
      .filter((other) => !needs.has(other))
      .map(
        (other) =>
          `ContainerConfig/${name}: dependsOn.containers names ${JSON.stringify(other)}, which does not exist`,
      ),
  );
  const cycle = findCycle(needs);
  return cycle ? [...errors, `circular dependency between containers: ${cycle.join(' -> ')}`] : errors;
}

/** Returns the first cycle, with its first element repeated at the end. */
function findCycle(needs: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  for (const start of needs.keys()) {
    // An explicit stack instead of recursion: a dependency chain may be longer than the call stack allows.
    const path: { name: string; rest: string[] }[] = [];
    const enter = (name: string) => path.push({ name, rest: [...(needs.get(name) ?? [])] });
    if (!done.has(start)) enter(start);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = top.rest.shift();
      if (next === undefined) {
        done.add(top.name);
        path.pop();
        continue;
      }
      const at = path.findIndex(({ name }) => name === next);
      // A container that depends on itself is rejected by the rules of its kind.
      if (next === top.name) continue;
      if (at >= 0) return [...path.slice(at).map(({ name }) => name), next];
      if (!done.has(next)) enter(next);
    }
  }
  return undefined;
}

function misplacedKinds(configuration: Configuration): string[] {
  const kinds = new Set(
    configuration.map(({ kind }) => kind).filter((kind) => controlPlaneKinds.includes(kind)),
  );
  return kinds.size === 0 ? [] : [`only for control planes: ${[...kinds].sort().join(', ')}`];
}
