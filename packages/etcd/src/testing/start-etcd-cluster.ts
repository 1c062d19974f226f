import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import type { EtcdClient } from '../etcd-client.ts';
import { etcdReasonOf } from '../etcd-fault.ts';
import { type EtcdClientInit, openEtcdClient } from '../open-etcd-client.ts';
import { findEtcd } from './find-etcd.ts';
import { peerUrlOf, randomLoopback, startEtcd, type TestMember } from './start-etcd.ts';
import { createTestPki, type TestPki } from './test-pki.ts';

/** A cluster of real members. Disposing of it stops them and closes the clients that it opened. */
export interface TestCluster extends AsyncDisposable {
  readonly pki: TestPki;
  readonly members: readonly TestMember[];
  readonly endpoints: readonly string[];
  /** A client of all members, or of the named ones. It is closed with the cluster. */
  client(init?: Partial<EtcdClientInit>): EtcdClient;
  /** Runs etcdctl against all members and returns its output. */
  etcdctl(...args: string[]): Promise<string>;
  /** Runs `etcdctl` without waiting until it exits. */
  spawnEtcdctl(...args: string[]): ChildProcess;
  /** Adds a learner and starts it. Resolves when it has started, which may be before it has caught up. */
  join(name: string): Promise<{ readonly member: TestMember; readonly id: bigint }>;
}

const startTimeoutMs = 60_000;

/** Starts `count` members as a new cluster, and waits until it answers writes. */
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
  const commandLine = await commandLineOf(scope, pki, endpoints);
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
    etcdctl: async (...args) =>
      (await promisify(execFile)(commandLine.program, [...commandLine.args, ...args])).stdout,
    spawnEtcdctl: (...args) => spawn(commandLine.program, [...commandLine.args, ...args], { stdio: 'pipe' }),
    async join(name) {
      const address = randomLoopback();
      const { member, members: known } = await addLearner(all, peerUrlOf(address));
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

/** The path of `etcdctl` and its TLS arguments. */
async function commandLineOf(
  scope: AsyncDisposableStack,
  { admin }: TestPki,
  endpoints: readonly string[],
): Promise<{ readonly program: string; readonly args: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'etcdctl-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  const files = { cacert: admin.ca, cert: admin.cert, key: admin.key };
  const options = await Promise.all(
    Object.entries(files).map(async ([option, pem]) => {
      await writeFile(join(folder, option), pem, { mode: 0o600 });
      return `--${option}=${join(folder, option)}`;
    }),
  );
  const urls = endpoints.map((endpoint) => `https://${endpoint}`);
  return { program: findEtcd()?.etcdctl ?? 'etcdctl', args: [...options, `--endpoints=${urls.join(',')}`] };
}

/** Members refuse changes until they have been connected to each other for five seconds. */
async function addLearner(
  client: EtcdClient,
  peerUrl: string,
): Promise<Awaited<ReturnType<EtcdClient['addLearner']>>> {
  const end = performance.now() + 60_000;
  for (;;) {
    try {
      return await client.addLearner([peerUrl]);
    } catch (error) {
      if (etcdReasonOf(error) !== 'unhealthy-cluster' || performance.now() > end) throw error;
      await pause(250);
    }
  }
}
