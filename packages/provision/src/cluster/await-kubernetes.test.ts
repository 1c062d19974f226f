import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import type { ClusterState } from '../domain/cluster-state.ts';
import type { ApiAnswer } from '../domain/workload-state.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { awaitKubernetes } from './await-kubernetes.ts';
import { clusterFolder } from './cluster-folder.ts';
import type { Creation, CreationMilestones } from './creation.ts';
import type { KubernetesProbe } from './kubernetes-probe.ts';

const nodes = [1, 2, 3].map((number) => ({
  name: `node0${number}`,
  type: number < 3 ? ('controlplane' as const) : ('worker' as const),
  address: `127.9.9.${number}`,
}));
const talosconfig = 'context: c\ncontexts:\n  c: { endpoints: [127.9.9.1, 127.9.9.2] }\n';

async function openRig(
  path: string,
  assertReady: KubernetesProbe['assertReady'],
  state: Partial<ClusterState> = {},
  wiped = '',
  get: (server: string, path: string) => Promise<ApiAnswer> = () => assert.fail('nothing runs a kubelet'),
) {
  const folder = clusterFolder(path);
  const milestones: CreationMilestones = {};
  const steps: string[] = [];
  const asked: string[] = [];
  const controller = new AbortController();
  const creation = {
    request: { bootstrap: true },
    folder,
    parts: {
      openKubernetesProbe: async (): Promise<KubernetesProbe> => ({
        async kubeconfig(endpoint) {
          asked.push(endpoint);
          return 'K';
        },
        assertReady,
        get: (_kubeconfig, server, path) => get(server, path),
        [Symbol.asyncDispose]: async () => {},
      }),
    },
    progress: {
      async step<T>(name: string, body: (say: (reason: string) => void) => Promise<T>): Promise<T> {
        const result = await body(() => {});
        steps.push(name);
        return result;
      },
      note() {},
    },
    signal: controller.signal,
    milestones,
  } as unknown as Creation;
  const given = {
    provisioner: 'process',
    nodes,
    kubernetes: { version: '1.37.1' },
    ...state,
  } as ClusterState;
  return {
    folder,
    milestones,
    steps,
    asked,
    controller,
    run: () =>
      awaitKubernetes({
        creation,
        launcher: { isWiped: (name) => name === wiped },
        state: given,
        talosconfig,
      }),
  };
}

test('awaitKubernetes() writes a private kubeconfig and waits for the API server of every control plane', async () => {
  await using home = await openTemporaryFolder();
  const calls = new Map<string, number>();
  const rig = await openRig(home.path, async (kubeconfig, server) => {
    assert.equal(kubeconfig, 'K');
    calls.set(server, (calls.get(server) ?? 0) + 1);
    if (calls.get(server) === 1) throw new Fault('unavailable', `${server} does not answer`);
  });
  await rig.run();
  assert.deepEqual([...calls].sort(), [
    ['https://127.9.9.1:6443', 2],
    ['https://127.9.9.2:6443', 2],
  ]);
  assert.equal(readFileSync(rig.folder.kubeconfig, 'utf8'), 'K');
  assert.equal(statSync(rig.folder.kubeconfig).mode & 0o777, 0o600);
  assert.deepEqual(rig.steps.sort(), ['kubeconfig', 'node01 serves Kubernetes', 'node02 serves Kubernetes']);
  assert.equal(rig.milestones.kubernetes?.servers, 2);
});

test('awaitKubernetes() does nothing for a cluster without Kubernetes', async () => {
  await using home = await openTemporaryFolder();
  const rig = await openRig(home.path, () => assert.fail('it was asked'), {
    kubernetes: undefined,
  } as object);
  await rig.run();
  assert.deepEqual([rig.asked, existsSync(rig.folder.kubeconfig)], [[], false]);
});

test('awaitKubernetes() ends with the error that no retry can resolve, and when it is aborted', async () => {
  await using home = await openTemporaryFolder();
  const hopeless = await openRig(home.path, async () => {
    throw new Fault('permission-denied', 'not authorized');
  });
  await assert.rejects(hopeless.run(), { kind: 'permission-denied' });
  const aborted = await openRig(home.path, async () => {
    aborted.controller.abort(new Fault('cancelled', 'interrupted'));
    throw new Fault('unavailable', 'no answer');
  });
  await assert.rejects(aborted.run(), { kind: 'cancelled', message: 'interrupted' });
});

test('awaitKubernetes() leaves out a control plane that was reset', async () => {
  await using home = await openTemporaryFolder();
  const asked: string[] = [];
  const ready = async (_: string, server: string) => void asked.push(server);
  const rig = await openRig(home.path, ready, {}, 'node01');
  await rig.run();
  assert.deepEqual([rig.asked, asked], [['127.9.9.2'], ['https://127.9.9.2:6443']]);
});

test('awaitKubernetes() also waits for the kubelets of whole nodes, except of one that was reset', async () => {
  await using home = await openTemporaryFolder();
  const ready = [{ type: 'Ready', status: 'True' }];
  const items = ['node01', 'node03'].map((name) => ({ metadata: { name }, status: { conditions: ready } }));
  const available = { status: { conditions: [{ type: 'Available', status: 'True' }] } };
  const get = async (server: string, path: string) => {
    assert.equal(server, 'https://127.9.9.1:6443');
    return { status: 200, body: path.endsWith('/nodes') ? { items } : available };
  };
  const rig = await openRig(home.path, async () => {}, { provisioner: 'docker' }, 'node02', get);
  await rig.run();
  assert.deepEqual(rig.steps.slice(-3), ['bootstrap manifests', '2 nodes Ready', 'cluster DNS']);
  assert.equal(rig.milestones.workloads?.nodes, 2);
});

test('awaitKubernetes() asks a machine by the ports of this host', async () => {
  await using home = await openTemporaryFolder();
  const servers = new Set<string>();
  const [node] = nodes;
  const items = [
    { metadata: { name: 'node01' }, status: { conditions: [{ type: 'Ready', status: 'True' }] } },
  ];
  const available = { status: { conditions: [{ type: 'Available', status: 'True' }] } };
  const state: Partial<ClusterState> = {
    provisioner: 'qemu',
    nodes: node === undefined ? [] : [node],
    kubernetesEndpoint: 'https://127.0.0.1:40123',
    machine: { apiPort: 40122 },
  };
  const rig = await openRig(
    home.path,
    async (_kubeconfig, server) => void servers.add(server),
    state,
    '',
    async (server, path) => {
      servers.add(server);
      return { status: 200, body: path.endsWith('/nodes') ? { items } : available };
    },
  );
  await rig.run();
  assert.deepEqual([...servers], ['https://127.0.0.1:40123']);
  assert.equal(rig.milestones.workloads?.nodes, 1);
});
