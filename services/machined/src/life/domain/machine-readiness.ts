import { serviceIds } from '@nodewright/contract';
import type {
  MachineStageName,
  MachineStatusSpec,
  MachineTypeName,
  UnmetConditionSpec,
} from '@nodewright/state/kinds';

/** A service that runs, as its resource tells of it. */
export interface RunningService {
  readonly id: string;
  readonly healthy: boolean;
  /** No health check has answered. */
  readonly unknown: boolean;
}

/** What makes a machine ready. What is undefined does not exist on this node, and nothing waits for it. */
export interface ReadinessFacts {
  readonly stage: MachineStageName;
  readonly machineType: MachineTypeName | undefined;
  readonly services: readonly RunningService[];
  /** Whether an answer of the service's health check can be waited for. */
  readonly hasHealthCheck: (service: string) => boolean;
  readonly time: { readonly synced: boolean } | undefined;
  readonly network: NetworkFacts | undefined;
}

export interface NetworkFacts {
  readonly addressReady: boolean;
  readonly connectivityReady: boolean;
  readonly hostnameReady: boolean;
  readonly etcFilesReady: boolean;
}

/** The status of the machine. Readiness is looked at only while it boots or runs. Source: Talos v1.14: machine status. */
export function machineStatusOf(facts: ReadinessFacts): MachineStatusSpec {
  const { stage } = facts;
  const unmetConditions = stage === 'booting' || stage === 'running' ? unmetConditionsOf(facts) : [];
  return { stage, status: { ready: unmetConditions.length === 0, unmetConditions } };
}

function unmetConditionsOf(facts: ReadinessFacts): UnmetConditionSpec[] {
  const reasons = {
    time: facts.time?.synced === false ? 'time is not synced' : '',
    network: facts.network === undefined ? '' : networkProblem(facts.network),
    services: servicesProblem(facts),
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

/** A service that has not been asked yet counts as not healthy: it has only just been started. */
function servicesProblem({ machineType, services, hasHealthCheck }: ReadinessFacts): string {
  const running = new Set(services.map(({ id }) => id));
  return [
    ...requiredServices(machineType)
      .filter((id) => !running.has(id))
      .map((id) => `${id} not running`),
    ...services
      .filter(({ id, healthy, unknown }) => (unknown ? hasHealthCheck(id) : !healthy))
      .map(({ id }) => `${id} not healthy`),
  ]
    .sort()
    .join(', ');
}

/** Those of Kubernetes are asked for only where there are its secrets, and this node makes none yet. */
function requiredServices(machineType: MachineTypeName | undefined): string[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  return [serviceIds.machined, serviceIds.apid, ...(isControlPlane ? [serviceIds.trustd] : [])];
}
