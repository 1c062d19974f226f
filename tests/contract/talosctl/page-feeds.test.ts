// What a page of `talosctl ui` follows about Kubernetes and containers.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { openTalosClient, type TalosClient } from '@nodewright/client';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { ContainersResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { type MemoryState, pointerTo } from '@nodewright/state';
import { hostnameStatuses, nodeStatuses, staticPodStatuses } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { NodeConfigurations } from '../../../cli/talosctl/src/ui/act/node-configurations.ts';
import { PageFeeds } from '../../../cli/talosctl/src/ui/collect/page-feeds.ts';
import { HiddenValues } from '../../../cli/talosctl/src/ui/domain/hidden-values.ts';
import { limits } from '../../../cli/talosctl/src/ui/domain/limits.ts';
import { afterFeedEvent, emptyFeed } from '../../../cli/talosctl/src/ui/page/store/feed-state.ts';
import type { FeedEvent } from '../../../cli/talosctl/src/ui/protocol/messages.ts';
import type { PageSubscription } from '../../../cli/talosctl/src/ui/protocol/subscription.ts';
import { FakeCluster } from './fake-cluster.ts';
import { healthyCluster, reply } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const kinds = [hostnameStatuses, nodeStatuses, staticPodStatuses];
const scope = new AsyncDisposableStack();
let client: TalosClient;
let store: MemoryState;

before(async () => {
  store = await openNodeStore(kinds, []);
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({
    ...healthyCluster,
    ...stateHandlers(kinds, () => store),
    '/machine.MachineService/Containers': (call) => {
      if (call.node === 'node02') return call.fail(9, 'no container runtime runs on this node');
      const containers = Array.from({ length: limits.containers + 50 }, (_, at) => ({
        ...{
          id: `web-${String(at).padStart(5, '0')}`,
          podId: 'web',
          image: 'web:1',
          pid: at,
          status: 'RUNNING',
        },
      }));
      reply(call, ContainersResponse, { messages: [{ containers }] });
    },
  });
  const path = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01', 'node02'] });
  const config = parseTalosconfig(await readFile(path, 'utf8'));
  client = scope.use(openTalosClient({ context: config.contexts.get('test') }));
});
after(() => scope.disposeAsync());

/** Follows one subscription. `last` is the newest event of it. */
function follow(subscription: PageSubscription) {
  const events: FeedEvent[] = [];
  const feeds = new PageFeeds({
    ...{ client, nodes: client.targets, session: 'page-feeds-test', now: () => new Date() },
    configurations: new NodeConfigurations(new HiddenValues(randomBytes(32))),
    emit: (_key, event) => void events.push(event),
  });
  feeds.want([subscription]);
  return {
    /** What a page knows by now. */
    state: () =>
      events.map((event) => JSON.parse(JSON.stringify(event)) as FeedEvent).reduce(afterFeedEvent, emptyFeed),
    last: <Kind extends FeedEvent['kind']>(kind: Kind) =>
      events.findLast((event): event is Extract<FeedEvent, { kind: Kind }> => event.kind === kind),
    [Symbol.dispose]: () => feeds[Symbol.dispose](),
  };
}

test('the state of Kubernetes of a node is known when it has none, and changes with its resources', async () => {
  using feed = follow({ kind: 'kubernetes', node: 'node01' });
  const state = () => feed.last('kubernetes')?.state;
  await eventually(() => state()?.node === null && state()?.pods?.length === 0, {
    what: 'state without Kubernetes',
  });

  const pointer = pointerTo(nodeStatuses, 'n1');
  const spec = {
    nodename: 'n1',
    nodeReady: true,
    unschedulable: false,
    labels: {},
    annotations: {},
    podCIDRs: [],
  };
  const owner = { owner: 'test.Controller' };
  await store.create({ ...pointer, spec } as never, owner);
  for (let at = 0; at < limits.staticPods + 20; at += 1) {
    const spec = { podStatus: { phase: 'Running', conditions: 'no list' } };
    await store.create({ ...pointerTo(staticPodStatuses, `kube-system/pod-${at}`), spec } as never, owner);
  }
  await eventually(() => state()?.node?.isReady === true, { what: 'node of Kubernetes' });
  await eventually(() => state()?.pods?.length === limits.staticPods, {
    what: 'as many static pods as are sent',
  });

  await store.destroy(pointer as never, owner as never);
  await eventually(() => state()?.node === null, { what: 'loss of the node of Kubernetes' });
});

test('as many containers are sent as are shown, with their count', async () => {
  using feed = follow({ kind: 'containers', node: 'node01' });
  await eventually(() => feed.last('containers') !== undefined, { what: 'containers' });
  const { kubernetes } = feed.last('containers') ?? assert.fail();
  assert.deepEqual(
    [kubernetes.containers.length, kubernetes.count],
    [limits.containers, limits.containers + 50],
  );
  assert.deepEqual(kubernetes.containers[0], {
    ...{ id: 'web-00000', isPod: false, image: 'web:1', pid: 0, state: 'RUNNING' },
  });
});

test('a node that cannot list containers says why', async () => {
  using feed = follow({ kind: 'containers', node: 'node02' });
  await eventually(() => feed.last('containers') !== undefined, { what: 'containers' });
  assert.match(feed.last('containers')?.system.problem ?? '', /no container runtime runs on this node/);
});

test('a fact that disappears from a node disappears from the page', async () => {
  using feed = follow({ kind: 'node', node: 'node01' });
  const pointer = pointerTo(hostnameStatuses, hostnameStatuses.singleton);
  const owner = { owner: 'test.Controller' };
  await store.create({ ...pointer, spec: { hostname: 'node01', domainname: '' } } as never, owner);
  const name = () => feed.state().facts.hostname?.hostname;
  await eventually(() => name() === 'node01', { what: 'host name' });
  await store.destroy(pointer as never, owner as never);
  await eventually(() => name() === undefined, { what: 'loss of the host name' });
});

test('resources have the columns of their kind, and long cells are cut', async () => {
  const pointer = pointerTo(hostnameStatuses, hostnameStatuses.singleton);
  const owner = { owner: 'test.Controller' };
  const domainname = 'x'.repeat(limits.cellLength + 100);
  await store.create({ ...pointer, spec: { hostname: 'node01', domainname } } as never, owner);
  const { type } = hostnameStatuses;
  using kindsFeed = follow({ kind: 'kinds', node: 'node01' });
  using feed = follow({ kind: 'resources', node: 'node01', type });
  const kind = () => kindsFeed.state().kinds?.find((each) => each.type === type);
  const row = () => feed.state().resources?.get(hostnameStatuses.singleton)?.now;
  await eventually(() => kind() !== undefined && row() !== undefined, { what: 'kind and its resource' });
  assert.deepEqual(kind()?.columns, ['Hostname', 'Domainname']);
  assert.deepEqual(row()?.cells, ['node01', `${'x'.repeat(limits.cellLength)}…`]);
  await store.destroy(pointer as never, owner as never);
});
