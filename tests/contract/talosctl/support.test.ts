// talosctl support, against nodes with secrets planted wherever a node may have one.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import {
  LogsContainersResponse,
  LogsRequest,
  ProcessesResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { encodeSecrets, generateConfig, generateSecrets } from '@nodewright/machine-config';
import { type MemoryState, type NewResource, pointerTo } from '@nodewright/state';
import {
  infos,
  machineConfigs,
  members,
  osRootSecrets,
  uniqueMachineTokens,
  yamlSpecAnnotation,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { strFromU8, unzipSync } from 'fflate';
import { parse } from 'yaml';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';
import { openSuite } from './suite.ts';

const kinds = [infos, machineConfigs, members, osRootSecrets, uniqueMachineTokens];
const stores = new Map<string, MemoryState>();
const tokenOfMachine = 'unique-token-of-this-machine';
/** Texts that no archive may contain. */
const planted: string[] = [tokenOfMachine];

const secrets = await generateSecrets({ now: new Date() });
planted.push(...secretsIn(parse(encodeSecrets(secrets))));
const text = generateConfig({
  secrets,
  clusterName: 'c',
  endpoint: 'https://10.5.0.1:6443',
  type: 'controlplane',
});
const config = { spec: text, annotations: yamlSpecAnnotation };
const resources: NewResource[] = [
  { ...pointerTo(infos, 'current'), spec: { clusterId: 'id', clusterName: 'c/1' } },
  { ...pointerTo(machineConfigs, 'v1alpha1'), ...config },
  { ...pointerTo(machineConfigs, 'persistent'), ...config },
  { ...pointerTo(uniqueMachineTokens, 'machine'), spec: { token: tokenOfMachine } },
  {
    ...pointerTo(members, 'node01'),
    labels: { note: `${planted.at(-1)}` },
    spec: {
      ...{ nodeId: '12', addresses: ['10.0.0.1'], hostname: 'node01', machineType: 'worker' as const },
      ...{ operatingSystem: `leaked ${planted.at(-1)}`, controlPlane: { port: 6443 } },
    },
  },
  {
    ...pointerTo(osRootSecrets, 'os'),
    labels: { token: 'label-of-a-secret' },
    spec: { acceptedCAs: [], certSANIPs: [], certSANDNSNames: [], token: 'of-the-resource-alone' },
  },
];
for (const node of ['node01', 'node02']) stores.set(node, await openNodeStore(kinds, resources));

const send = (call: FakeCall, text: string) =>
  call.send(Data.encode(Data.fromPartial({ bytes: Buffer.from(text) })).finish());

/** A log into which the node has leaked every secret that it has, in chunks that split them. */
const leakingLog: FakeHandler = (call) => {
  const { id } = LogsRequest.decode(call.request);
  if (call.node === 'cut') {
    send(call, 'the beginning\n');
    return call.fail(14, 'no route to node "cut": connection reset');
  }
  if (call.node === 'silent') return undefined;
  const text = `${id} begins\n${planted.map((secret) => `using ${secret} now\n`).join('')}${id} ends\n`;
  for (let at = 0; at < text.length; at += 37) send(call, text.slice(at, at + 37));
  call.end();
};

const suite = openSuite({
  ...healthyCluster,
  ...stateHandlers(kinds, (node = '') => {
    const store = stores.get(node);
    if (store === undefined) throw new Fault('permission-denied', 'not authorized');
    return store;
  }),
  '/machine.MachineService/Logs': leakingLog,
  '/machine.MachineService/LogsContainers': (call) =>
    reply(call, LogsContainersResponse, {
      messages: [{ ids: ['apid', 'controller-runtime', '../../escape'] }],
    }),
  '/machine.MachineService/Dmesg': leakingLog,
  '/machine.MachineService/Processes': (call) =>
    reply(call, ProcessesResponse, {
      messages: [{ processes: [{ pid: 7, args: `sh -c "join ${planted.at(-1)}"`, command: 'sh' }] }],
    }),
});

/** Every secret text in a secrets bundle; keys in all their lines. */
function secretsIn(value: unknown, key = ''): string[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, child]) => secretsIn(child, name));
  }
  const text = String(value);
  if (['crt', 'id'].includes(key) || text.length < 16) return [];
  const decoded = Buffer.from(text, 'base64').toString();
  if (!decoded.includes('PRIVATE KEY')) return [text];
  return [text, ...decoded.split('\n').filter((line) => line.length > 16 && !line.startsWith('---'))];
}

/** Runs support in a folder of its own. */
async function support(...words: string[]) {
  const cwd = mkdtempSync(join(suite.cluster.folder, 'run-'));
  const environment = { TALOSCONFIG: suite.talosconfig };
  const result = await suite.talosctl.run(['support', ...words], { cwd, environment });
  return { ...result, cwd, files: readdirSync(cwd) };
}

const unpacked = (path: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(unzipSync(readFileSync(path))).map(([name, bytes]) => [name, strFromU8(bytes)]),
  );

test('support writes one archive of all nodes, named after the cluster, and lists its content', async () => {
  const { stdout, stderr, exitCode, cwd, files } = await support('-w', '3');
  assert.deepEqual([exitCode, files], [0, ['support-c_1.zip']], stderr);
  assert.match(
    stdout,
    /^"support-c_1.zip": \d+ files, \d+ kB\. Known secrets are removed; the archive is not encrypted\.\n$/,
  );
  assert.match(stderr, /^node0\d: \d+ files, \d+ kB\nnode0\d: \d+ files, \d+ kB\n$/);
  const archive = unpacked(join(cwd, 'support-c_1.zip'));
  assert.deepEqual(
    Object.keys(archive)
      .filter((name) => name.startsWith('node01/'))
      .sort(),
    [
      ...['api.jsonl', 'controller-runtime.log', 'dmesg.log', 'machine-configuration-persistent.yaml'],
      ...['machine-configuration.yaml', 'memory.json', 'mounts', 'processes'],
      ...kinds.map(({ type }) => `resources/${type.toLowerCase()}.yaml`),
      ...['resources/namespaces.meta.cosi.dev.yaml', 'resources/resourcedefinitions.meta.cosi.dev.yaml'],
      ...['apid.log', 'apid.state', 'etcd.log', 'etcd.state', 'quiet.log', 'quiet.state'].map(
        (name) => `service-logs/${name}`,
      ),
      ...['service-logs/.._.._escape.log', 'specs.jsonl', 'summary', 'time.json'],
    ]
      .map((name) => `node01/${name}`)
      .sort(),
  );
  assert.match(archive['node01/service-logs/apid.state'] ?? '', /^NODE +node01\nID +apid\nSTATE +Running\n/);
  assert.match(archive['node01/resources/members.cluster.talos.dev.yaml'] ?? '', /hostname: node01/);
  assert.match(archive['node01/machine-configuration.yaml'] ?? '', /token: <REDACTED>/);
  assert.match(archive['node01/dmesg.log'] ?? '', /^ begins\nusing <REDACTED> now\n/);
});

/** The messages in the lines of a file that `talosctl replay` reads, decoded from base64. */
function decoded(name: string, text: string): string {
  if (!name.endsWith('.jsonl')) return '';
  const words = [...text.matchAll(/"(?:response|request|proto|value)": ?"([A-Za-z0-9+/=]+)"/g)];
  return words.map(([, word = '']) => Buffer.from(word, 'base64').toString('latin1')).join('\n');
}

test('support leaks no secret, wherever a node has it', async () => {
  const { cwd } = await support();
  const archive = unpacked(join(cwd, 'support-c_1.zip'));
  assert.ok(planted.length > 15, `only ${planted.length} secrets are planted`);
  const secrets = [
    ...planted,
    'label-of-a-secret',
    'of-the-resource-alone',
    'PRIVATE KEY',
    'LS0tLS1CRUdJTiBFRDI1NTE5IFBSSVZBVEUg',
  ];
  const found = Object.entries(archive).flatMap(([name, text]) =>
    secrets
      .filter((secret) => text.includes(secret) || decoded(name, text).includes(secret))
      .map((secret) => `${name}: ${secret}`),
  );
  assert.deepEqual(found, []);
  const recorded = decoded('node01/api.jsonl', archive['node01/api.jsonl'] ?? '');
  assert.match(recorded, /join <REDACTED>/);
  assert.match(archive['node01/specs.jsonl'] ?? '', /"infos.cluster.talos.dev"/i);
  assert.doesNotMatch(
    archive['node01/specs.jsonl'] ?? '',
    /"type":"(?:[A-Za-z]+\.secrets|MachineConfigs|Members)\./,
  );
  const osRoots = archive['node01/resources/osrootsecrets.secrets.talos.dev.yaml'] ?? '';
  assert.match(osRoots, /labels:\n +token: <REDACTED>\nspec: <REDACTED>\n$/);
  assert.match(archive['node01/resources/machineconfigs.config.talos.dev.yaml'] ?? '', /spec: <REDACTED>\n$/);
});

test('support reports what it could not fetch, keeps the rest, and does not fail', async () => {
  const { exitCode, stderr, stdout, cwd } = await support(
    '-n',
    'node01,reader,cut',
    '-O',
    'a.zip',
    '-o',
    'json',
  );
  assert.equal(exitCode, 0);
  assert.match(stderr, /^SOURCE +ERROR$/m);
  assert.match(stderr, /^reader resources +rpc error: code = PermissionDenied desc = not authorized$/m);
  assert.match(stderr, /^cut everything else +rpc error: code = Unavailable desc = no route to node/m);
  const summary = JSON.parse(stdout);
  assert.deepEqual([summary.archive, summary.sizeBytes], ['a.zip', readFileSync(join(cwd, 'a.zip')).length]);
  assert.deepEqual(
    summary.nodes.map(({ node, errors }: { node: string; errors: object[] }) => [node, errors.length > 0]),
    [
      ['node01', false],
      ['reader', true],
      ['cut', true],
    ],
  );
  assert.ok(summary.nodes[0].notImplemented.includes('netstat'));
  const archive = unpacked(join(cwd, 'a.zip'));
  assert.equal(archive['cut/dmesg.log'], 'the beginning\n');
  assert.equal(JSON.parse(archive['support.json'] ?? '').nodes.length, 3);
});

test('support leaves no archive when there is nothing to put into it, or when it cannot be written', async () => {
  const talosconfig = await suite.cluster.talosconfig(
    { endpoints: ['127.0.0.1:1'], nodes: ['node01'] },
    'away',
  );
  const away = await support('--talosconfig', talosconfig);
  assert.deepEqual([away.exitCode, away.files, away.stdout], [1, [], '']);
  assert.match(away.stderr, /code = Unavailable/);
  const full = await support('-O', '/dev/full/a.zip');
  assert.equal(full.exitCode, 1);
  assert.match(full.stderr, /^error: cannot write "\/dev\/full\/a.zip": /);
});

test('support overwrites no archive, and checks that without calling a node', async () => {
  const path = join(suite.cluster.folder, 'there.zip');
  writeFileSync(path, 'precious');
  const { exitCode, stderr } = await support('-O', path);
  assert.equal(exitCode, 1);
  assert.equal(
    stderr,
    `error: ${JSON.stringify(path)} exists already: remove it, or name another file with --output\n`,
  );
  assert.equal(readFileSync(path, 'utf8'), 'precious');
});

test('support keeps what it has collected until an interrupt, and says what is missing', async () => {
  const cwd = mkdtempSync(join(suite.cluster.folder, 'run-'));
  const environment = { TALOSCONFIG: suite.talosconfig };
  const words = ['-n', 'node01,silent', 'support', '-v', '-O', 'a.zip'];
  const child = suite.talosctl.start(words, { cwd, environment });
  let progress = '';
  child.stderr?.on('data', (bytes) => {
    progress += String(bytes);
  });
  const ended = finished(child);
  await eventually(() => /^node01: \d+ files/m.test(progress), {
    what: 'the end of the collection of node01',
  });
  child.kill('SIGINT');
  const { exitCode, stderr, stdout } = await ended;
  assert.deepEqual([exitCode, readdirSync(cwd)], [1, ['a.zip']], stderr);
  assert.match(stderr, /^silent everything(?: else)? +rpc error: code = Canceled desc = interrupted$/m);
  assert.match(stderr, /^interrupted: "a.zip" has only what was collected until then$/m);
  assert.match(stdout, /^"a.zip": \d+ files/);
  const archive = unpacked(join(cwd, 'a.zip'));
  assert.match(archive['node01/specs.jsonl'] ?? '', /"infos.cluster.talos.dev"/i);
  const { interrupted, nodes } = JSON.parse(archive['support.json'] ?? '');
  assert.deepEqual([interrupted, nodes.length], [true, 2]);
});

test('support that is interrupted twice, or whose terminal is closed, leaves a whole archive or nothing', async () => {
  for (const signals of [['SIGINT', 'SIGINT'], ['SIGHUP']] as const) {
    const cwd = mkdtempSync(join(suite.cluster.folder, 'run-'));
    const environment = { TALOSCONFIG: suite.talosconfig };
    const words = ['-n', 'node01,silent', 'support', '-O', 'a.zip'];
    const child = suite.talosctl.start(words, { cwd, environment });
    const ended = finished(child);
    await eventually(() => readdirSync(cwd).length === 1, { what: 'partial archive' });
    assert.equal(existsSync(join(cwd, 'a.zip')), false);
    for (const signal of signals) child.kill(signal);
    const { exitCode } = await ended;
    assert.notEqual(exitCode, 0);
    const left = readdirSync(cwd);
    if (left.length === 0) continue;
    assert.deepEqual(left, ['a.zip']);
    assert.equal(JSON.parse(unpacked(join(cwd, 'a.zip'))['support.json'] ?? '').interrupted, true);
  }
});

test('support rejects encryption, which it does not implement', async () => {
  const { exitCode, stderr } = await support('--encryption-recipients', 'age1x');
  assert.equal(exitCode, 1);
  assert.match(stderr, /^error: flag --encryption-recipients is not implemented/);
});
