// A node without a configuration: which calls it answers for which callers, how it gets a configuration, and
// that it then joins its cluster.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect as connectHttp } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { openTalosClient } from '@nodewright/client';
import { methodTable, ports, roles } from '@nodewright/contract';
import { ConfigLoadErrorEvent } from '@nodewright/contract/gen/machine/machine.ts';
import { publicKeyFingerprint } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { openProcessCluster, type ProcessCluster, type ProcessNode } from './process-cluster.ts';

const scope = new AsyncDisposableStack();
let cluster: ProcessCluster;
let folder: string;
/** The files that each node gets from its cluster. */
const configs = new Map<ProcessNode, string>();
before(async () => {
  cluster = scope.use(await openProcessCluster({ controlPlanes: 1, workers: 1 }));
  for (const node of cluster.nodes) configs.set(node, await readFile(configOf(node), 'utf8'));
  folder = await mkdtemp(join(tmpdir(), 'maintenance-'));
  scope.defer(() => rm(folder, { recursive: true }));
});
after(() => scope.disposeAsync());

const configOf = ({ root }: ProcessNode) => join(root, 'system', 'state', 'config.yaml');
const insecure = ({ address }: ProcessNode, ...words: string[]) =>
  cluster.talosctl(...words.slice(0, 1), '-i', '-n', address, ...words.slice(1));
/** Calls the node as a user of the cluster, directly. */
const secure = ({ address }: ProcessNode, ...words: string[]) =>
  cluster.talosctl('-e', address, '-n', address, ...words);

/** Starts the node with this file in STATE, or with none, and waits until it is in maintenance. */
async function startInMaintenance(node: ProcessNode, state?: string): Promise<void> {
  if (state === undefined) await rm(configOf(node), { force: true });
  else await writeFile(configOf(node), state);
  await node.signal('machined', 'SIGKILL');
  const stage = async () => (await insecure(node, 'get', 'machinestatus')).stdout.includes('maintenance');
  await eventually(stage, { what: `maintenance of ${node.name}`, timeoutMs: 40_000 });
}

async function assertJoined(node: ProcessNode): Promise<void> {
  const isRunning = async () => {
    const { stdout } = await secure(node, 'get', 'machinestatus');
    return / running +true/.test(stdout);
  };
  await eventually(isRunning, { what: `${node.name} running`, timeoutMs: 40_000 });
  const refused = await insecure(node, 'version');
  assert.equal(refused.exitCode, 1);
  assert.match(refused.stderr, /it asks for a client certificate: it is not in maintenance mode/);
}

async function fileWith(text: string): Promise<string> {
  const path = join(folder, 'config.yaml');
  await writeFile(path, text);
  return path;
}

/**
 * Most machines do not let an ordinary user do this, and then the node that this user runs cannot do it
 * either.
 */
function mayReadKernelLog(): boolean {
  try {
    closeSync(openSync('/dev/kmsg', 'r'));
    return true;
  } catch {
    return false;
  }
}

/** The names in the node's certificate. */
async function fingerprintOf({ address }: ProcessNode): Promise<string> {
  const socket = connectTls({
    host: address,
    port: ports.apid,
    ALPNProtocols: ['h2'],
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerX509Certificate();
  socket.destroy();
  assert.ok(certificate !== undefined);
  assert.match(certificate.subject, /CN=maintenance-service\.talos\.dev/);
  return publicKeyFingerprint(certificate.publicKey);
}

/** The status of each method when a client without a certificate calls it with an empty message. */
async function callEveryMethod({ address }: ProcessNode): Promise<Map<string, number>> {
  const session = connectHttp(`https://${address}:${ports.apid}`, { rejectUnauthorized: false });
  const statuses = new Map<string, number>();
  try {
    await once(session, 'connect');
    for (const path of Object.keys(methodTable)) {
      const stream = session.request({
        ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
        // The client can neither forward through this apid nor choose a role: both kinds of metadata are
        // ignored.
        ...{ 'grpc-timeout': '500m', node: '192.0.2.1', 'talos-role': 'os:admin' },
      });
      let status: unknown;
      for (const event of ['response', 'trailers'] as const) {
        stream.on(event, (fields: Record<string, unknown>) => {
          status ??= fields['grpc-status'];
        });
      }
      stream.on('error', () => {});
      stream.resume();
      stream.end(Buffer.alloc(5));
      // A stream without an end is cancelled; all that the test knows is that it stayed open.
      const timer = setTimeout(() => stream.destroy(), 1500);
      await once(stream, 'close');
      clearTimeout(timer);
      statuses.set(path, status === undefined ? 1 : Number(status));
    }
  } finally {
    session.destroy();
  }
  return statuses;
}

test('a worker without a configuration serves any client as a reader, accepts one, and is a member again', async () => {
  const worker = cluster.workers[0] as ProcessNode;
  const config = configs.get(worker) as string;
  const identity = async (ask: typeof insecure) =>
    (await ask(worker, 'get', 'identities', '-o', 'jsonpath={.spec.nodeId}')).stdout;
  const before = await identity(secure);
  await startInMaintenance(worker);

  for (const [words, text] of [
    [['version'], /^\tTag: +v1\.14/m],
    [['get', 'disks'], /NODE +NAMESPACE +TYPE|^$/],
    [['get', 'services'], /apid +\d+ +true/],
    [['logs', 'machined'], /maintenance: this machine waits for apply-config/],
    [['services'], /apid +Running/],
    [['memory'], /TOTAL/],
  ] as const) {
    const { exitCode, stdout, stderr } = await insecure(worker, ...words);
    assert.equal(exitCode, 0, `${words.join(' ')}: ${stderr}`);
    assert.ok(text.test(stdout), `${words.join(' ')}: ${stdout.slice(0, 500)}`);
  }
  const dmesg = await insecure(worker, 'dmesg');
  if (mayReadKernelLog()) assert.deepEqual([dmesg.exitCode, dmesg.stdout !== ''], [0, true], dmesg.stderr);
  else assert.match(`${dmesg.exitCode} ${dmesg.stderr}`, /^1 .*PermissionDenied/s);
  for (const words of [
    ['get', 'machineconfig'],
    ['meta', 'write', '0x0c', 'x'],
    ['service', 'apid', 'restart'],
  ]) {
    const { exitCode, stderr } = await insecure(worker, ...words);
    assert.equal(exitCode, 1);
    assert.match(stderr, /code = PermissionDenied desc = not authorized/, words.join(' '));
  }
  const strange = await secure(worker, 'version');
  assert.match(strange.stderr, /the server's certificate is not issued by the CA of this context/);

  const file = await fileWith(config);
  const fingerprint = await fingerprintOf(worker);
  const logs = await insecure(worker, 'logs', 'machined');
  assert.ok(logs.stdout.includes(`"fingerprint":"${fingerprint}"`), 'its log tells the fingerprint');
  const other = Buffer.alloc(32).toString('base64');
  const apply = ['apply-config', '-f', file];
  const wrong = await insecure(worker, ...apply, '--cert-fingerprint', other);
  assert.equal(wrong.exitCode, 1);
  assert.match(wrong.stderr, /its certificate has the fingerprint \S+, which is not among those allowed/);
  const broken = await insecure(
    worker,
    'apply-config',
    '-f',
    await fileWith('version: v1alpha1\nmachine: 5\n'),
  );
  assert.equal(broken.exitCode, 1, 'a configuration that is none');
  const dry = await insecure(worker, ...['apply-config', '-f', await fileWith(config)], '--dry-run');
  assert.equal(dry.exitCode, 0, dry.stderr);
  assert.match((await insecure(worker, 'get', 'machinestatus')).stdout, /maintenance/);

  const right = await insecure(worker, ...apply, '--cert-fingerprint', `${other},${fingerprint}`);
  assert.equal(right.exitCode, 0, right.stderr);
  await assertJoined(worker);
  const through = await cluster.talosctl('-n', worker.name, 'version');
  assert.equal(through.exitCode, 0, through.stderr);
  assert.equal(await readFile(configOf(worker), 'utf8'), config);
  assert.equal(await identity(secure), before, 'it is the node that it was');
});

test('in maintenance every method answers, and none does more than a reader may do', async () => {
  const worker = cluster.workers[0] as ProcessNode;
  const config = configs.get(worker) as string;
  await startInMaintenance(worker);
  const statuses = await callEveryMethod(worker);
  const allowed = {
    OK: 0,
    Canceled: 1,
    InvalidArgument: 3,
    DeadlineExceeded: 4,
    PermissionDenied: 7,
    // Containers and images: a node of processes has none.
    FailedPrecondition: 9,
    Unimplemented: 12,
  };
  const surprises = [...statuses].filter(([, status]) => !Object.values(allowed).includes(status));
  // It contacts public default time servers, which may be unreachable.
  assert.deepEqual(
    surprises.filter(([path]) => path !== '/time.TimeService/Time'),
    [],
  );
  for (const [path, rule] of Object.entries(methodTable)) {
    if (!(rule.roles as readonly string[]).includes(roles.reader)) assert.equal(statuses.get(path), 7, path);
  }
  const applied = await insecure(worker, 'apply-config', '-f', await fileWith(config));
  assert.equal(applied.exitCode, 0, applied.stderr);
  await assertJoined(worker);
});

test('a control plane without a configuration runs no trustd, and runs all of its services after it gets one', async () => {
  const node = cluster.controlPlanes[0] as ProcessNode;
  const config = configs.get(node) as string;
  await startInMaintenance(node);
  assert.equal(await node.instanceOf('trustd'), undefined);
  // An incomplete configuration takes effect, tried or permanently, and the node stays in maintenance.
  const part = 'apiVersion: v1alpha1\nkind: HostnameConfig\nauto: off\nhostname: not-yet\n';
  const takes = async (...mode: string[]) => {
    const file = await fileWith(part);
    const { exitCode, stderr } = await insecure(node, 'apply-config', '-f', file, ...mode);
    assert.equal(exitCode, 0, stderr);
  };
  const isNamed = async () => (await insecure(node, 'get', 'hostname')).stdout.includes('not-yet');
  await takes('-m', 'try', '--timeout', '4s');
  await eventually(isNamed, { what: 'name that is tried' });
  await eventually(async () => !(await isNamed()), { what: 'name of before' });
  await takes();
  await eventually(isNamed, { what: 'name of the part' });
  assert.match((await insecure(node, 'get', 'machinestatus')).stdout, /maintenance/);

  const applied = await insecure(node, 'apply-config', '-f', await fileWith(config));
  assert.equal(applied.exitCode, 0, applied.stderr);
  await assertJoined(node);
  const isServing = async () => /trustd +Running +OK/.test((await secure(node, 'services')).stdout);
  await eventually(isServing, { what: 'trustd', timeoutMs: 40_000 });
  const worker = cluster.workers[0] as ProcessNode;
  const through = await cluster.talosctl('-n', worker.address, 'version');
  assert.equal(through.exitCode, 0, through.stderr);
});

test('a damaged configuration in STATE is reported, kept, and repaired by hand or by a call', async () => {
  const worker = cluster.workers[0] as ProcessNode;
  const config = configs.get(worker) as string;
  const damaged = config.replace(/^machine:$/m, 'machine: [');
  assert.notEqual(damaged, config);

  await startInMaintenance(worker, damaged);
  using client = openTalosClient({ nodes: [worker.address], insecure: { fingerprints: [] } });
  let told: string | undefined;
  for await (const { data } of client.node(worker.address).machine.events({ tailEvents: -1 })) {
    if (data?.typeUrl !== 'talos/runtime/machine.ConfigLoadErrorEvent') continue;
    told = ConfigLoadErrorEvent.decode(data.value).error;
    break;
  }
  const token = /^ *token: (\S+)$/m.exec(config)?.[1] ?? '';
  assert.match(told ?? '', /line \d+|:\d+:\d+/);
  assert.ok(token !== '' && !told?.includes(token), 'without its secrets');
  assert.equal(await readFile(configOf(worker), 'utf8'), damaged);

  await writeFile(configOf(worker), config);
  await assertJoined(worker);

  await startInMaintenance(worker, damaged);
  const applied = await insecure(worker, 'apply-config', '-f', await fileWith(config));
  assert.equal(applied.exitCode, 0, applied.stderr);
  await assertJoined(worker);
  assert.equal(await readFile(configOf(worker), 'utf8'), config);
});
