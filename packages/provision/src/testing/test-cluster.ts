import { join } from 'node:path';
import type { ClusterMaterial } from '../cluster/cluster-material.ts';
import { createClusterProvisioner } from '../cluster/cluster-provisioner.ts';
import type { CreateParts } from '../cluster/creation.ts';
import { etcdVariable } from '../domain/daemon-environment.ts';
import type { ClusterRef, ClusterRequest, Progress, Provisioner } from '../domain/provisioner.ts';
import type { ProcessParts } from '../process/process-parts.ts';
import { createProcessProvisioner } from '../process/process-provisioner.ts';
import { type FakeMachinedBehaviour, writeFakePrograms } from './fake-programs.ts';
import { type MemoryKindInit, memoryKind } from './memory-kind.ts';
import { openTemporaryFolder } from './temporary-folder.ts';

/** A provisioner with a home folder of its own. Disposing it destroys the clusters that it created. */
export interface ClusterHome extends AsyncDisposable {
  readonly provisioner: Provisioner;
  readonly home: string;
  readonly notes: string[];
  readonly steps: string[];
  readonly progress: Progress;
  request(change?: Partial<ClusterRequest>): ClusterRequest;
  ref(name?: string): ClusterRef;
}

export interface TestCluster extends ClusterHome {
  readonly parts: ProcessParts;
}

/** Creates clusters with the real supervisor, fake nodes, and keys that need no time. */
export async function openTestCluster(
  behaviour: FakeMachinedBehaviour = {},
  change: Partial<ProcessParts> = {},
): Promise<TestCluster> {
  const folder = await openTemporaryFolder();
  const parts: ProcessParts = {
    programs: writeFakePrograms(join(folder.path, 'dist'), behaviour),
    ...fakeParts(folder.path),
    ...change,
  };
  return {
    parts,
    ...openHome(
      folder,
      createProcessProvisioner(() => parts),
    ),
  };
}

/** Creates clusters in memory, with keys that need no time. */
export async function openMemoryCluster(
  change: Partial<CreateParts> = {},
  init: MemoryKindInit = {},
): Promise<ClusterHome> {
  const folder = await openTemporaryFolder();
  const parts = { ...fakeParts(folder.path), ...change };
  return openHome(
    folder,
    createClusterProvisioner(memoryKind(init), () => parts),
  );
}

function fakeParts(seed: string): CreateParts {
  return {
    environment: { ...process.env, [etcdVariable]: 'none' },
    checkPatches: async () => {},
    makeMaterial: async () => fakeMaterial(seed),
    now: () => new Date(),
    openMaintenance: async () => {
      throw new Error('no node is in maintenance');
    },
    openMembersProbe: async () => ({ addresses: async () => [], stage: async () => 'running' }),
    openEtcdProbe: async () => {
      throw new Error('there is no etcd');
    },
    kubectl: 'kubectl',
    openKubernetesProbe: async () => {
      throw new Error('there is no Kubernetes');
    },
    openProbe: async () => ({ version: async () => 'source', [Symbol.asyncDispose]: async () => {} }),
  };
}

function openHome(
  folder: { readonly path: string } & AsyncDisposable,
  provisioner: Provisioner,
): ClusterHome {
  const home = join(folder.path, 'home');
  const notes: string[] = [];
  const steps: string[] = [];
  const names = new Set<string>();
  const progress: Progress = {
    async step(name, body) {
      const result = await body(() => {});
      steps.push(name);
      return result;
    },
    note: (text) => notes.push(text),
  };
  const ref = (name = 'c') => ({ name, clustersFolder: join(home, 'clusters') });
  return {
    ...{ provisioner, home, notes, steps, progress, ref },
    request(change = {}) {
      const request = {
        ...ref(),
        shape: { controlPlanes: 1, workers: 1 },
        cidr: undefined,
        patches: { all: [], controlPlanes: [], workers: [] },
        talosconfig: join(home, 'config'),
        ifAbsent: false,
        bootstrap: true,
        ...change,
      };
      names.add(request.name);
      return request;
    },
    async [Symbol.asyncDispose]() {
      const quiet: Progress = { step: (_name, body) => body(() => {}), note: () => {} };
      for (const name of names) await provisioner.destroy(ref(name), { force: true }, quiet).catch(() => {});
      await folder[Symbol.asyncDispose]();
    },
  };
}

function fakeMaterial(seed: string): ClusterMaterial {
  const pem = (label: string) => Buffer.from(`${label} of ${seed}`).toString('base64');
  return {
    secrets: 'secret: of the cluster\n',
    nodeConfig: ({ node }) => `node: ${node.name}\n`,
    talosconfig: async (name, endpoints) =>
      JSON.stringify({
        context: name,
        contexts: {
          [name]: { endpoints, ca: pem(`authority ${name}`), crt: pem('certificate'), key: pem('key') },
        },
      }),
  };
}
