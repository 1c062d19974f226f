import { serviceIds } from '@nodewright/contract';
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
  /** Whether the service has a health check. */
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

/** A service before its first health check counts as unhealthy, because it has only just been started. */
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

/** The Kubernetes conditions apply only when its secrets exist, and this node does not create them yet. */
function requiredServices(machineType: MachineTypeName | undefined): string[] {
  const isControlPlane = machineType === 'controlplane' || machineType === 'init';
  return [serviceIds.machined, serviceIds.apid, ...(isControlPlane ? [serviceIds.trustd] : [])];
}
