import { pause } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { NodeHost } from '../cluster/cluster-kind.ts';
import { readLivePid } from '../cluster/cluster-processes.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import type { Progress } from '../domain/provisioner.ts';
import { followNodeLogs } from '../process/node-logs.ts';
import { apiOf } from './machine-api.ts';
import { machineFiles } from './machine-image.ts';
import { pressPowerButton } from './press-power-button.ts';

/** A machine stops its services first. Emulation on a loaded host is slow. */
const stopTimeoutMs = 90_000;
const pollMs = 100;

/** The machine of a cluster. It is on while its emulator runs. */
export function openQemuHost(folder: ClusterFolder): NodeHost {
  return {
    async require() {},
    async look(state, emulatorPid) {
      return {
        isRunning: emulatorPid !== undefined,
        nodes: state.nodes.map((node) => ({
          ...node,
          ...(emulatorPid === undefined
            ? { state: 'stopped' as const }
            : { state: 'running' as const, pid: emulatorPid }),
          ...(state.machine && { published: apiOf(state) }),
        })),
      };
    },
    stop: (_state, progress) => turnOff(folder, progress),
    stopNode: (_state, _node, _emulatorPid, progress) => turnOff(folder, progress),
    async remove(_name, { progress }) {
      // Its disk is removed next, so nothing has to be kept.
      await progress.step('machine', () => stopProcesses(folder, { graceful: false }));
    },
    async apiOf(state) {
      return apiOf(state);
    },
    async countObjects() {
      return undefined;
    },
    logs: (_state, nodes, request) =>
      followNodeLogs(
        folder,
        nodes.map(({ name }) => name),
        request,
      ),
  };
}

/** Turns the machine off by its power button. A machine that does not react loses its power. */
async function turnOff(folder: ClusterFolder, progress: Progress): Promise<void> {
  const isOn = () => readLivePid(folder, folder.supervisorPid) !== undefined;
  if (!isOn()) return;
  await progress.step('power off', async () => {
    const failure = await pressPowerButton(machineFiles(folder.nodeRoot('node01')).monitor).then(
      () => undefined,
      (error: unknown) => faultFrom(error).message,
    );
    if (failure === undefined) {
      const deadline = performance.now() + stopTimeoutMs;
      const never = new AbortController().signal;
      while (isOn() && performance.now() < deadline) await pause(pollMs, never);
    }
    if (!isOn()) return;
    const why = failure ?? `it did not turn off within ${stopTimeoutMs / 1000} s`;
    progress.note(`the machine lost its power without a shutdown: ${why}`);
    await stopProcesses(folder, { graceful: false });
  });
}
