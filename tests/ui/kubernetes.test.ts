// What the page shows of Kubernetes, on simulated nodes: one runs everything, one is not ready, and one has no kubelet.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { openTalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { ContainersRequest, ContainersResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { type MemoryState, pointerTo } from '@nodewright/state';
import { type NodeStatusSpec, nodeStatuses, staticPodStatuses } from '@nodewright/state/kinds';
import type { Browser } from 'playwright-core';
import { ClusterPages } from '../../cli/talosctl/src/ui/collect/cluster-pages.ts';
import { readPageFiles } from '../../cli/talosctl/src/ui/server/page-files.ts';
import { PageServer } from '../../cli/talosctl/src/ui/server/page-server.ts';
import { FakeCluster } from '../contract/talosctl/fake-cluster.ts';
import type { FakeHandler } from '../contract/talosctl/fake-gateway.ts';
import { healthyCluster, reply } from '../contract/talosctl/replies.ts';
import { openNodeStore, stateHandlers } from '../contract/talosctl/state-replies.ts';
import { accessibilityFaults, noBrowser, openChromium } from './browser.ts';
import { type OpenedPage, openPage } from './opened-page.ts';

const scope = new AsyncDisposableStack();
const stores = new Map<string, MemoryState>();
let server: PageServer;
let opened: OpenedPage;

const kinds = [nodeStatuses, staticPodStatuses];
const statusOf = (nodename: string, change: Partial<NodeStatusSpec>): NodeStatusSpec => ({
  ...{ nodename, nodeReady: true, unschedulable: false, labels: {}, annotations: {}, podCIDRs: [] },
  ...change,
});

const containers: FakeHandler = (call) => {
  if (call.node === 'node03') return call.fail(9, 'no container runtime runs on this node');
  const isKubernetes = ContainersRequest.decode(call.request).namespace === 'k8s.io';
  const pod = {
    id: 'default/web-1',
    podId: 'default/web-1',
    pid: 41,
    status: 'SANDBOX_READY',
    image: 'pause',
  };
  const container = { ...pod, id: 'default/web-1:web', pid: 42, status: 'CONTAINER_RUNNING', image: 'web:1' };
  const etcd = { id: 'etcd', podId: 'etcd', pid: 7, status: 'RUNNING', image: 'etcd:3' };
  reply(call, ContainersResponse, { messages: [{ containers: isKubernetes ? [container, pod] : [etcd] }] });
};

/** Serves the page for these nodes. */
async function servePage(nodes: readonly string[]): Promise<PageServer> {
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({
    ...healthyCluster,
    ...stateHandlers(kinds, (node = '') => stores.get(node) as MemoryState),
    '/machine.MachineService/Containers': containers,
  });
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  const client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
  const now = () => new Date();
  const backend = scope.use(
    new ClusterPages({ client, nodes: client.targets, session: 'kubernetes-test', context: 'test', now }),
  );
  const files = await readPageFiles(join(import.meta.dirname, '..', '..', '_out', 'dist', 'talosctl', 'ui'));
  return scope.use(await PageServer.listen({ files, backend, port: 0, now: Date.now }));
}

const newPage = (browser: Browser, of: PageServer) =>
  openPage(browser, `${of.address}#token=${of.issueToken().text}`);

before(async () => {
  if (noBrowser) return;
  stores.set(
    'node01',
    await openNodeStore(kinds, [
      {
        ...pointerTo(nodeStatuses, 'node01'),
        spec: statusOf('node01', {
          labels: { 'node-role.kubernetes.io/control-plane': '' },
          podCIDRs: ['10.244.0.0/24'],
        }),
      },
      ...[
        { id: 'kube-system/kube-apiserver-node01', phase: 'Running', status: 'True' },
        { id: 'kube-system/kube-scheduler-node01', phase: 'Pending', status: 'False' },
      ].map(({ id, phase, status }) => ({
        ...pointerTo(staticPodStatuses, id),
        spec: { podStatus: { phase, conditions: [{ type: 'Ready', status, reason: 'ImagePullBackOff' }] } },
      })),
    ] as never),
  );
  const notReady = statusOf('node02', { nodeReady: false, unschedulable: true });
  stores.set(
    'node02',
    await openNodeStore(kinds, [{ ...pointerTo(nodeStatuses, 'node02'), spec: notReady }] as never),
  );
  stores.set('node03', await openNodeStore(kinds, []));
  server = await servePage(['node01', 'node02', 'node03']);
  const browser = await openChromium();
  scope.defer(() => browser.close());
  opened = await newPage(browser, server);
});
after(() => scope.disposeAsync());

const options = { skip: noBrowser };
const go = ({ page }: OpenedPage, hash: string) => page.goto(new URL(hash, server.address).href);

test(
  'the view of health lists nodes and static pods of Kubernetes, and follows their changes',
  options,
  async () => {
    await go(opened, '#/health');
    const nodes = opened.page.getByRole('region', { name: 'Kubernetes nodes' });
    const row = (name: string) => nodes.getByRole('row', { name });
    await row('node01').getByText('Ready', { exact: true }).waitFor();
    await row('node01').getByText('1 of 2').waitFor();
    assert.match(await row('node01').innerText(), /control-plane\s+10\.244\.0\.0\/24\s+1 of 2/);
    await row('node02').getByText('not ready, cordoned').waitFor();
    await row('node03').getByText('no node of Kubernetes: no kubelet runs here').waitFor();
    const pods = opened.page.getByRole('region', { name: 'Static pods' });
    await pods.getByRole('row', { name: 'kube-scheduler' }).getByText('ImagePullBackOff').waitFor();

    const pointer = pointerTo(nodeStatuses, 'node02');
    const store = stores.get('node02') as MemoryState;
    await store.update(
      { ...(await store.get(pointer)), spec: statusOf('node02', {}) } as never,
      { owner: 'test.Controller' } as never,
    );
    await row('node02').getByText('Ready', { exact: true }).waitFor();
    assert.deepEqual(await accessibilityFaults(opened.page), []);
  },
);

test('a node shows its pods and containers, or why it has none', options, async () => {
  await go(opened, '#/node/node01/pods');
  const pods = opened.page.getByRole('region', { name: 'Pods and their containers' });
  await pods.getByRole('row', { name: 'default/web-1:web' }).getByText('CONTAINER_RUNNING').waitFor();
  await opened.page.getByRole('region', { name: 'Containers of the system' }).getByText('etcd:3').waitFor();
  await opened.page.getByRole('region', { name: 'Static pods' }).getByText('kube-apiserver').waitFor();
  assert.deepEqual(await accessibilityFaults(opened.page), []);

  await go(opened, '#/node/node03/pods');
  await opened.page.getByText('This is no node of Kubernetes: no kubelet runs here.').waitFor();
  await opened.page.getByText('no container runtime runs on this node').first().waitFor();
  assert.deepEqual([opened.errors, opened.foreign], [[], []]);
});

test('a cluster without Kubernetes says so', options, async () => {
  const without = await servePage(['node03']);
  const other = await newPage(opened.page.context().browser() as Browser, without);
  await other.page.goto(new URL('#/health', without.address).href);
  await other.page
    .getByText('The cluster has no Kubernetes: no node runs a kubelet or a static pod.')
    .waitFor();
  await other.page.close();
});
