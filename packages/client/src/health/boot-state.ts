import {
  MachineStatusEvent,
  MachineStatusEvent_MachineStage,
} from '@nodewright/contract/gen/machine/machine.ts';
import type { NodeClient } from '../node-client.ts';
import { readResource } from './read-resource.ts';

const statusType = 'talos/runtime/machine.MachineStatusEvent';

/**
 * Whether a node has finished its boot sequence, according to the resource `MachineStatuses`. A node without
 * this resource is judged by its latest `MachineStatusEvent`. When the node has dropped that event, the
 * states of its services decide.
 */
export async function isBootFinished(node: NodeClient, signal: AbortSignal): Promise<boolean> {
  const status = { namespace: 'runtime', type: 'MachineStatuses.runtime.talos.dev', id: 'machine' };
  const fields = await readResource(node, status, signal);
  if (fields !== undefined) return fields.stage === 'running';
  const stage = await lastStage(node, signal);
  if (stage !== undefined) return stage === MachineStatusEvent_MachineStage.RUNNING;
  const { messages } = await node.machine.serviceList({}, { signal });
  return messages[0]?.services.every(({ state }) => state === 'Running' || state === 'Finished') ?? false;
}

/** Returns the stage in the latest status event that the node still has. */
async function lastStage(
  node: NodeClient,
  signal: AbortSignal,
): Promise<MachineStatusEvent_MachineStage | undefined> {
  // The stream does not end. Past events arrive at once, so a short silence means that all of them were read.
  const silence = new AbortController();
  const either = AbortSignal.any([signal, silence.signal]);
  let stage: MachineStatusEvent_MachineStage | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    const request = { tailEvents: -1, tailId: '', tailSeconds: 0, withActorId: '' };
    for await (const { data } of node.machine.events(request, { signal: either })) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), silenceMs);
      if (data?.typeUrl === statusType) stage = MachineStatusEvent.decode(data.value).stage;
    }
  } catch (error) {
    if (!silence.signal.aborted) throw error;
  } finally {
    clearTimeout(timer);
  }
  return stage;
}

const silenceMs = 300;
