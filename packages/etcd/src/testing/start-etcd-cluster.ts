import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import type { EtcdClient } from '../etcd-client.ts';
import { type EtcdClientInit, openEtcdClient } from '../open-etcd-client.ts';
import { peerUrlOf, randomLoopback, startEtcd, type TestMember } from './start-etcd.ts';
import { createTestPki, type TestPki } from './test-pki.ts';

/** A cluster of real members. Disposing of it ends them, and the clients it has opened. */
export interface TestCluster extends AsyncDisposable {
  readonly pki: TestPki;
  readonly members: readonly TestMember[];
  readonly endpoints: readonly string[];
  /** A client of all members, or of those that are named. It is closed with the cluster. */
  client(init?: Partial<EtcdClientInit>): EtcdClient;
  /** Adds a learner and starts it; yields when it has started, which may be before it has caught up. */
  join(name: string): Promise<{ readonly member: TestMember; readonly id: bigint }>;
}

const startTimeoutMs = 60_000;

/** Starts `count` members as a new cluster, and waits until it does what it is asked. */
export async function startEtcdCluster(
  count = 1,
  { args = [] }: { readonly args?: readonly string[] } = {},
): Promise<TestCluster> {
  await using scope = new AsyncDisposableStack();
  const pki = await createTestPki();
  const nodes = Array.from({ length: count }, (_, index) => ({
    name: `cp-${index + 1}`,
    address: randomLoopback(),
  }));
  const initialCluster = nodes.map(({ name, address }) => `${name}=${peerUrlOf(address)}`).join(',');
  const members: TestMember[] = [];
  for (const node of nodes) members.push(scope.use(await startEtcd({ ...node, pki, initialCluster, args })));
  const endpoints = members.map(({ endpoint }) => endpoint);
  const client = (init: Partial<EtcdClientInit> = {}) =>
    scope.use(openEtcdClient({ endpoints, tls: pki.admin, telemetry: noTelemetry, ...init }));

  const all = client();
  await eventually(async () => (await all.get('is it there', { timeoutMs: 2000 })) === undefined, {
    what: `answer of ${count} members`,
    timeoutMs: startTimeoutMs,
    explain: () => members.map(({ name, output }) => `${name}: ${output().slice(-2000)}`).join('\n'),
  });
  const owned = scope.move();
  return {
    pki,
    members,
    endpoints,
    client: (init) => {
      const { endpoints: given = endpoints, tls = pki.admin, telemetry = noTelemetry, ...rest } = init ?? {};
      return owned.use(openEtcdClient({ endpoints: given, tls, telemetry, ...rest }));
    },
    async join(name) {
      const address = randomLoopback();
      const { member, members: known } = await all.addLearner([peerUrlOf(address)]);
      const list = known.flatMap(({ name: other, peerUrls }) =>
        peerUrls.map((url) => `${other === '' ? name : other}=${url}`),
      );
      const initialState = 'existing';
      const started = owned.use(
        await startEtcd({ name, pki, address, initialCluster: list.join(','), initialState, args }),
      );
      return { member: started, id: member.id };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
