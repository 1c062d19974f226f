import { serviceIds } from '@nodewright/contract';
import type { JsonObject } from '@nodewright/state';
import type {
  MachineStageName,
  MachineStatusSpec,
  MachineTypeName,
  UnmetConditionSpec,
} from '@nodewright/state/kinds';

/** The state of a service from its resource. */
export interface RunningService {
  readonly id: string;
  readonly healthy: boolean;
  /** True until the first health check has completed. */
  readonly unknown: boolean;
}

/** The conditions of a ready machine. Undefined ones do not exist on this node and are not required. */
export interface ReadinessFacts {
  readonly stage: MachineStageName;
  readonly machineType: MachineTypeName | undefined;
  readonly services: readonly RunningService[];
  /** The services that have failed; such a service is not among the running ones. */
  readonly failedServices: readonly string[];
  /** The volumes of the system that have failed, and why: the services that need them cannot start. */
  readonly failedVolumes: readonly { readonly id: string; readonly reason: string }[];
  /** Whether the API of a worker has no certificate of its cluster yet. */
  readonly isApiWaiting: boolean;
  /** Whether the service has a health check. */
  readonly hasHealthCheck: (service: string) => boolean;
  readonly time: { readonly synced: boolean } | undefined;
  readonly network: NetworkFacts | undefined;
  /** Whether the configuration makes the machine a node of Kubernetes, with a kubelet. */
  readonly hasKubernetes: boolean;
  readonly staticPods: readonly StaticPodFacts[];
  /** The node in Kubernetes; undefined when it does not register there. */
  readonly node: { readonly name: string; readonly isReady: boolean | undefined } | undefined;
}

export interface StaticPodFacts {
  /** `<namespace>/<name>` */
  readonly id: string;
  readonly status: JsonObject;
}

export interface NetworkFacts {
  readonly addressReady: boolean;
  readonly connectivityReady: boolean;
  readonly hostnameReady: boolean;
  readonly etcFilesReady: boolean;
}

/**
 * The status of the machine. Conditions count only while it boots or runs. Source: Talos v1.14: machine
 * status.
 */
export function machineStatusOf(facts: ReadinessFacts): MachineStatusSpec {
  const { stage } = facts;
  const unmetConditions = stage === 'booting' || stage === 'running' ? unmetConditionsOf(facts) : [];
  return { stage, status: { ready: unmetConditions.length === 0, unmetConditions } };
}

function unmetConditionsOf(facts: ReadinessFacts): UnmetConditionSpec[] {
  const reasons = {
    time: facts.time?.synced === false ? 'time is not synced' : '',
    network: facts.network === undefined ? '' : networkProblem(facts.network),
    volumes: facts.failedVolumes
      .map(({ id, reason }) => `${id}: ${reason}`)
      .sort()
      .join(', '),
    services: servicesProblem(facts),
    staticPods: staticPodsProblem(facts.staticPods),
    nodeReady: nodeProblem(facts),
  };
  return Object.entries(reasons).flatMap(([name, reason]) => (reason === '' ? [] : [{ name, reason }]));
}

function networkProblem(network: NetworkFacts): string {
  const waiting = [
    ...(network.addressReady ? [] : ['address']),
    ...(network.connectivityReady ? [] : ['connectivity']),
    ...(network.etcFilesReady ? [] : ['etc-files']),
    ...(network.hostnameReady ? [] : ['hostname']),
  ];
  return waiting.length === 0 ? '' : `waiting on: ${waiting.join(', ')}`;
}

/**
 * A service before its first health check counts as unhealthy, because it has only just been started. One that waits for a volume
 * that has failed is not named: the volume is.
 */
function servicesProblem(facts: ReadinessFacts): string {
  const { services, failedServices, failedVolumes, hasHealthCheck, isApiWaiting } = facts;
  const running = new Set(services.map(({ id }) => id));
  const failed = new Set(failedServices);
  const required = requiredServices(facts);
  const absent = required.filter((id) => !running.has(id));
  return [
    ...absent.filter((id) => failedVolumes.length === 0 || failed.has(id)).map((id) => `${id} not running`),
    ...failedServices.filter((id) => !required.includes(id)).map((id) => `${id} failed`),
    ...services
      .filter(({ id, healthy, unknown }) => (unknown ? hasHealthCheck(id) : !healthy))
      .map(({ id }) => `${id} not healthy`),
    ...(isApiWaiting ? [`${serviceIds.apid} waits for its certificate`] : []),
  ]
    .sort()
    .join(', ');
}

/** On a node of Kubernetes its parts are required, too. Source: Talos v1.14: machine status. */
function requiredServices({
  machineType,
  hasKubernetes,
}: Pick<ReadinessFacts, 'machineType' | 'hasKubernetes'>): string[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  return [
    ...[serviceIds.machined, serviceIds.apid],
    ...(isControlPlane ? [serviceIds.trustd] : []),
    ...(hasKubernetes ? [serviceIds.kubelet] : []),
    ...(hasKubernetes && isControlPlane ? [serviceIds.etcd] : []),
  ];
}

function staticPodsProblem(pods: readonly StaticPodFacts[]): string {
  const conditionsOf = ({ conditions }: JsonObject) =>
    (Array.isArray(conditions) ? conditions : []) as readonly JsonObject[];
  return pods
    .filter(({ status }) => status.phase !== 'Succeeded')
    .filter(
      ({ status }) => !conditionsOf(status).some((one) => one.type === 'Ready' && one.status === 'True'),
    )
    .map(({ id, status: { phase } }) =>
      typeof phase === 'string' && phase !== 'Running' ? `${id} ${phase.toLowerCase()}` : `${id} not ready`,
    )
    .sort()
    .join(', ');
}

function nodeProblem({ hasKubernetes, node }: ReadinessFacts): string {
  if (!hasKubernetes || node === undefined || node.isReady === true) return '';
  const problem = node.isReady === undefined ? 'status is not available yet' : 'is not ready';
  return `node "${node.name}" ${problem}`;
}
