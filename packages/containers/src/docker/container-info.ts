import type Docker from 'dockerode';
import type { ContainerInfo, Labels, TaskInfo } from '../container-runtime.ts';
import { ownLabels } from './ownership.ts';

/**
 * Converts the engine's data of a container of this node. A container that compose created has no label with
 * its image, so its image name is used.
 */
export function containerInfo(inspected: Docker.ContainerInspectInfo): ContainerInfo {
  const labels = inspected.Config.Labels ?? {};
  const task = taskInfo(inspected.State);
  return {
    id: labels[ownLabels.container] ?? inspected.Id,
    internalId: inspected.Id,
    image: labels[ownLabels.image] ?? inspected.Config.Image,
    labels: readLabels(labels[ownLabels.labels]),
    createdAtMs: Date.parse(inspected.Created),
    ...(task === undefined ? {} : { task }),
  };
}

function taskInfo(state: Docker.ContainerInspectInfo['State']): TaskInfo | undefined {
  const { Status, Pid, ExitCode, FinishedAt } = state;
  if (Status === 'created') return undefined;
  if (Status === 'paused') return { status: 'paused', pid: Pid };
  if (Status === 'running') return { status: 'running', pid: Pid };
  return { status: 'stopped', exit: { code: ExitCode, atMs: Date.parse(FinishedAt) } };
}

function readLabels(json: string | undefined): Labels {
  return json === undefined ? {} : (JSON.parse(json) as Labels);
}
