import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pause } from '@nodewright/async';
import { kubernetesPorts, ports } from '@nodewright/contract';
import { Fault } from '@nodewright/fault';
import type { NodeLauncher } from '../cluster/cluster-kind.ts';
import { readLivePid } from '../cluster/cluster-processes.ts';
import type { Creation } from '../cluster/creation.ts';
import { stopProcesses } from '../cluster/remove-cluster.ts';
import type { ClusterState, MachineState } from '../domain/cluster-state.ts';
import type { PatchText } from '../domain/provisioner.ts';
import { chooseAccelerator } from '../machine/choose-accelerator.ts';
import { guestAddress, guestCidr, guestNameServer, hostAddress } from '../machine/emulator-options.ts';
import { freePort, freeUdpPort } from '../machine/free-port.ts';
import {
  type ApiMode,
  type AwaitedMachine,
  askMode,
  awaitBoot,
  awaitConfigured,
  emulatorEnded,
} from './await-machine.ts';
import { apiOf } from './machine-api.ts';
import { openConsole } from './machine-console.ts';
import { imageFolderOf, machineFiles, makeMachine } from './machine-image.ts';
import type { QemuParts } from './qemu-parts.ts';
import { startEmulator } from './start-emulator.ts';
import { startTimeServer } from './start-time-server.ts';

const node = 'node01';
/** An emulated machine unpacks the image of etcd first, which takes minutes on a busy host. */
const etcdTimeoutMs = 600_000;

/** Starts one virtual machine, in an emulator that runs on without this process. */
export function openQemuLauncher(
  creation: Creation<QemuParts>,
  _state: ClusterState | undefined,
  undo: AsyncDisposableStack,
): NodeLauncher {
  const { folder, parts, progress, request, signal } = creation;
  const files = machineFiles(folder.nodeRoot(node));
  let mode: ApiMode | undefined;
  const awaited = async (state: ClusterState): Promise<AwaitedMachine> => ({
    ...{ creation, node, api: apiOf(state), console: openConsole(folder.nodeLog(node)) },
    talosconfig: await readFile(folder.talosconfig, 'utf8'),
  });
  const start = async (state: ClusterState): Promise<AwaitedMachine> => {
    const { accelerator, reason } = await chooseAccelerator();
    if (reason !== undefined) progress.note(`without KVM the machine is about ten times slower: ${reason}`);
    progress.note(`${node} boots, its console is ${folder.nodeLog(node)}`);
    const machine = await awaited(state);
    undo.defer(() => stopProcesses(folder, { graceful: false }));
    // The time server of an emulator that has just ended still has its port, and would answer for the next one.
    await stopProcesses(folder, { graceful: false });
    const { environment } = parts;
    const port = state.machine?.timePort;
    const emulatorPid = await startEmulator({
      ...{ folder, node, accelerator, environment },
      ...{ apiPort: apiPortOf(state), kubernetesPort: kubernetesPortOf(state), timePort: port },
    });
    const { nodeBinary, timeServer: program } = parts;
    if (port !== undefined)
      await startTimeServer({ folder, nodeBinary, program, port, emulatorPid, environment, signal });
    mode = await awaitBoot(machine);
    return machine;
  };
  return {
    draft: () => ({}),
    async place(draft) {
      const making = progress.step('disk', () =>
        makeMachine(imageFolderOf(request, parts), folder.nodeRoot(node)),
      );
      // The folder must not be removed while files are created in it.
      undo.defer(() => making.catch(() => {}));
      await making;
      const apiPort = await freePort();
      const timePort = await freeUdpPort();
      return placeMachine(draft, { apiPort, timePort }, await portBesides(apiPort));
    },
    async configure(state, material) {
      const { nodes, kubernetes, kubernetesEndpoint: endpoint = '' } = state;
      const [planned] = nodes;
      if (planned === undefined) throw new Fault('internal', 'the cluster has no node');
      const { name: clusterName } = request;
      const patches =
        kubernetes === undefined
          ? request.patches
          : { ...request.patches, all: [...kubernetesPatches, ...request.patches.all] };
      const certSans = ['127.0.0.1'];
      const timePort = state.machine?.timePort;
      const timeServer = timePort === undefined ? undefined : `${hostAddress}:${timePort}`;
      const values = { clusterName, node: planned, endpoint, timeServer, certSans, patches };
      // It is the only node, so it runs the pods of users, too.
      const own = {
        ...{ kubernetesVersion: kubernetes?.version, kubernetesPort: kubernetesPortOf(state) },
        runsUserPods: true,
      };
      return new Map([[node, material.nodeConfig({ ...values, ...own })]]);
    },
    // A machine gets its configuration over its API.
    async handOut() {},
    async launch(state) {
      const machine = await start(state);
      await progress.step('configuration applied', async () => {
        using maintenance = await parts.openMaintenance(machine.api, []);
        await maintenance.applyConfiguration(await readFile(folder.nodeConfig(node), 'utf8'), signal);
      });
      await progress.step(`${node}: certificates`, () => awaitConfigured(machine));
      mode = 'configured';
    },
    async checkData() {
      if (existsSync(files.disk)) return;
      throw new Fault(
        'data-loss',
        `${files.disk} is missing: destroy the cluster and create it again (talosctl cluster destroy --name ${request.name})`,
      );
    },
    async launchAgain(state) {
      await start(state);
    },
    async launchMissing(state) {
      mode = await askMode(await awaited(state));
    },
    async launchNode() {
      return () => true;
    },
    // The emulator runs on from the beginning.
    async release() {},
    isWiped: () => mode === 'maintenance',
    // The emulator accepts connections for a machine that does not listen yet.
    reaches: () => false,
    logOf: (name) => folder.nodeLog(name),
    watchForHopeless: (_state, ended) => watchForEnd(creation, ended),
    etcd: (_state, { isNewCluster }) => ({ kind: 'present', isNew: isNewCluster, timeoutMs: etcdTimeoutMs }),
    // The image may be from any build: the difference is no mistake.
    buildNote: () => undefined,
  };
}

/** What a machine with Kubernetes needs besides: its images come from its disk, and the emulator resolves names. */
const kubernetesPatches: readonly PatchText[] = [
  'machine: { features: { imageCache: { localEnabled: true } } }',
  JSON.stringify({
    ...{ apiVersion: 'v1alpha1', kind: 'ResolverConfig' },
    nameservers: [{ address: guestNameServer }],
  }),
].map((text) => ({ source: 'for Kubernetes in machines', text }));

/**
 * The Kubernetes API has the same port in the machine and on this host, so that its URL is valid in both, and a kubeconfig of the
 * machine can be used here.
 */
function placeMachine(draft: ClusterState, machine: MachineState, kubernetesPort: number) {
  const state: ClusterState = {
    ...draft,
    network: { cidr: guestCidr, gateway: hostAddress },
    nodes: [{ name: node, type: 'controlplane', address: guestAddress }],
    kubernetesEndpoint:
      draft.kubernetes === undefined
        ? `https://${guestAddress}:${kubernetesPorts.apiServer}`
        : `https://127.0.0.1:${kubernetesPort}`,
    machine,
  };
  return { state, endpoints: [apiOf(state)] };
}

function apiPortOf({ machine, name }: ClusterState): number {
  if (machine !== undefined) return machine.apiPort;
  throw new Fault('data-loss', `the state of cluster "${name}" has no port: destroy it and create it again`);
}

/** A port that is free on this host, and that no daemon of the machine listens on. */
async function portBesides(...used: readonly number[]): Promise<number> {
  const taken: readonly number[] = [...used, ...Object.values(ports)];
  for (;;) {
    const port = await freePort();
    if (!taken.includes(port)) return port;
  }
}

/** Undefined for a machine without Kubernetes. */
function kubernetesPortOf({ kubernetes, kubernetesEndpoint = '' }: ClusterState): number | undefined {
  return kubernetes === undefined ? undefined : Number(new URL(kubernetesEndpoint).port);
}

async function watchForEnd({ folder }: Creation, signal: AbortSignal): Promise<Fault | undefined> {
  while (!signal.aborted) {
    await pause(500, signal);
    if (!signal.aborted && readLivePid(folder, folder.supervisorPid) === undefined)
      return emulatorEnded({ folder }, node);
  }
  return undefined;
}
