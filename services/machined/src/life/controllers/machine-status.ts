import { volumeTable } from '@nodewright/contract/volumes';
import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { hasFailed, type ServiceRecords } from '@nodewright/services';
import { pointerTo } from '@nodewright/state';
import {
  apiWaits,
  kubeletSecrets,
  type MachineStageName,
  machineStatuses,
  machineTypes,
  networkStatuses,
  nodenames,
  nodeStatuses,
  services,
  staticPodStatuses,
  timeStatuses,
  volumeStatuses,
} from '@nodewright/state/kinds';
import { machineStatusOf } from '../domain/machine-readiness.ts';
import { type MachineStage, stageAfter } from '../domain/machine-status.ts';
import type { EventStore } from '../host/event-store.ts';

export interface MachineStatusInit {
  readonly events: EventStore;
  readonly services: ServiceRecords;
}

/** The volumes that the services of a machine are on. */
const vitalVolumes: readonly string[] = volumeTable.filter(({ isVital }) => isVital).map(({ id }) => id);
const extensionPrefix = 'ext-';

const stageNames = {
  booting: 'booting',
  maintenance: 'maintenance',
  running: 'running',
  'shutting-down': 'shutting down',
  rebooting: 'rebooting',
  resetting: 'resetting',
  upgrading: 'upgrading',
  installing: 'installing',
} as const satisfies Record<MachineStage, MachineStageName>;

/**
 * The stage of the machine according to its events, and the conditions that it still waits for. Source: Talos
 * v1.14: COSI resources, MachineStatuses.
 */
export function machineStatusController({ events, services: declared }: MachineStatusInit): Controller {
  let stage: MachineStage = 'booting';
  const hasHealthCheck = (service: string) =>
    declared.records().some(({ id, hasHealthCheck: has }) => id === service && has);
  return {
    name: 'runtime.MachineStatusController',
    inputs: [
      weak(timeStatuses, timeStatuses.singleton),
      weak(networkStatuses, networkStatuses.singleton),
      weak(services),
      weak(apiWaits, apiWaits.singleton),
      weak(machineTypes, machineTypes.singleton),
      weak(kubeletSecrets, kubeletSecrets.singleton),
      weak(staticPodStatuses),
      weak(volumeStatuses),
      weak(nodenames, nodenames.singleton),
      weak(nodeStatuses),
    ],
    outputs: [exclusive(machineStatuses)],
    open(source, scope) {
      const follow = async () => {
        // A reader that was too slow starts again with the oldest stored event.
        while (!source.signal.aborted) {
          for await (const { event } of events.read(events.ring.start, source.signal)) {
            if (event.kind !== 'sequence' && event.kind !== 'sequence-failed' && event.kind !== 'task')
              continue;
            const next = stageAfter(stage, event);
            if (next === stage) continue;
            stage = next;
            source.wake();
          }
        }
      };
      // A service that does not run is no resource, so neither its failure nor the end of that shows there.
      let failed = '';
      const onServiceChange = () => {
        const before = failed;
        failed = failedServices(declared).join(' ');
        if (failed !== before) source.wake();
      };
      onServiceChange();
      scope.use(declared.onChange(onServiceChange));
      const ended = follow();
      scope.defer(() => ended);
    },
    async reconcile(pass) {
      const [time, network, machineType] = await Promise.all([
        pass.get(pointerTo(timeStatuses)),
        pass.get(pointerTo(networkStatuses)),
        pass.get(pointerTo(machineTypes)),
      ]);
      const running = (await pass.list(services)).filter(({ metadata }) => metadata.phase === 'running');
      const spec = machineStatusOf({
        stage: stageNames[stage],
        machineType: machineType?.spec,
        services: running.map(({ metadata, spec }) => ({ id: metadata.id, ...spec })),
        isApiWaiting: (await pass.get(pointerTo(apiWaits))) !== undefined,
        hasHealthCheck,
        failedServices: failedServices(declared),
        failedVolumes: (await pass.list(volumeStatuses))
          .filter(({ metadata, spec }) => vitalVolumes.includes(metadata.id) && spec.phase === 'failed')
          .map(({ metadata, spec }) => ({ id: metadata.id, reason: spec.errorMessage })),
        time: time?.spec,
        network: network?.spec,
        ...(await kubernetesFacts(pass)),
      });
      await pass.put({ ...pointerTo(machineStatuses), spec });
    },
  };
}

/** Programs of extensions are the user's: a machine is ready without them. */
function failedServices(declared: ServiceRecords): string[] {
  return declared
    .records()
    .filter((record) => hasFailed(record) && !record.id.startsWith(extensionPrefix))
    .map(({ id }) => id);
}

async function kubernetesFacts(pass: ReconcilePass) {
  const own = (await pass.get(pointerTo(nodenames)))?.spec;
  const isRegistered = own !== undefined && !own.skipNodeRegistration;
  const status = isRegistered ? await pass.get(pointerTo(nodeStatuses, own.nodename)) : undefined;
  return {
    hasKubernetes: (await pass.get(pointerTo(kubeletSecrets))) !== undefined,
    staticPods: (await pass.list(staticPodStatuses)).map(({ metadata, spec }) => ({
      id: metadata.id,
      status: spec.podStatus,
    })),
    node: isRegistered ? { name: own.nodename, isReady: status?.spec.nodeReady } : undefined,
  };
}
