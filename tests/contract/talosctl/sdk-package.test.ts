// The published client: the examples of its README and its folder, run and type-checked as in another
// project.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { pointerTo } from '@nodewright/state';
import { machineConfigs, machineTypes, members, services, yamlSpecAnnotation } from '@nodewright/state/kinds';
import { buildSdk } from '../../../tools/sdk.ts';
import { generated } from '../config/conversion-corpus.ts';
import { FakeCluster } from './fake-cluster.ts';
import { withBrokenNode } from './replies.ts';
import { openNodeStore, stateHandlers } from './state-replies.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);
const scope = new AsyncDisposableStack();
let project: string;
let sdk: string;
let talosconfig: string;

const kinds = [members, machineTypes, services, machineConfigs];
const store = await openNodeStore(kinds, [
  {
    ...pointerTo(members, 'cp-1'),
    spec: {
      ...{ nodeId: '12', addresses: ['10.0.0.1', 'fe80::1'], hostname: 'cp-1' },
      ...{ machineType: 'controlplane', operatingSystem: 'Talos (v1.14.0)', controlPlane: { port: 6443 } },
    },
  },
  { ...pointerTo(machineTypes, 'machine-type'), spec: 'worker' },
  { ...pointerTo(services, 'apid'), spec: { running: true, healthy: true, unknown: false } },
  {
    ...pointerTo(machineConfigs, 'v1alpha1'),
    ...{ spec: generated(13, 'worker', 'machine: { sysctls: { vm.swappiness: "1" } }') },
    annotations: yamlSpecAnnotation,
  } as never,
]);

before(async () => {
  // A folder below the checkout, where the client's dependencies are found.
  await mkdir(join(checkout, '_out'), { recursive: true });
  const folder = await mkdtemp(join(checkout, '_out', 'sdk-test-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  sdk = join(folder, 'sdk');
  await buildSdk(sdk);
  project = join(folder, 'project');
  await mkdir(join(project, 'node_modules', '@nodewright'), { recursive: true });
  await symlink(sdk, join(project, 'node_modules', '@nodewright', 'client'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  await cp(join(sdk, 'examples'), project, { recursive: true });
  const readme = await readFile(join(sdk, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text as string);
  assert.equal(examples.length, 7);
  for (const [at, text] of examples.entries()) await writeFile(join(project, `example${at + 1}.ts`), text);
  await writeFile(join(project, 'as-node-22.mjs'), asNode22);
  const cluster = scope.use(await FakeCluster.create());
  const handlers = { ...withBrokenNode('node02'), ...stateHandlers(kinds, () => store) };
  const { address } = scope.use(await cluster.gateway(handlers));
  talosconfig = await cluster.talosconfig({ endpoints: [address], nodes: ['node01'] });
});
after(() => scope.disposeAsync());

/** Removes the globals that Node.js 22 does not have. The bundler takes care of the syntax. */
const asNode22 = `
  for (const name of ['DisposableStack', 'AsyncDisposableStack', 'SuppressedError', 'Float16Array', 'Temporal'])
    delete globalThis[name];
  for (const [owner, names] of [
    [Promise, ['try']],
    [RegExp, ['escape']],
    [Error, ['isError']],
    [Iterator, ['concat', 'zip', 'zipKeyed']],
    [Math, ['f16round', 'sumPrecise']],
    [Uint8Array, ['fromBase64', 'fromHex']],
    [Uint8Array.prototype, ['toBase64', 'toHex', 'setFromBase64', 'setFromHex']],
    [Map.prototype, ['getOrInsert', 'getOrInsertComputed']],
    [WeakMap.prototype, ['getOrInsert', 'getOrInsertComputed']],
  ]) for (const name of names) delete owner[name];
  Object.defineProperty(process.versions, 'node', { value: '22.0.0' });
`;

const timeoutMs = 120_000;
const commandOf = (program: string, words: readonly string[]) => [
  ...['--import', './as-node-22.mjs', program],
  ...words,
];
const settings = () => ({
  ...{ cwd: project, timeout: timeoutMs },
  env: { PATH: process.env.PATH, TALOSCONFIG: talosconfig },
});

async function outputOf(program: string, ...words: string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, commandOf(program, words), settings());
  assert.equal(stderr, '');
  return stdout;
}

/** What a program that goes on prints until it has printed `last`. */
async function outputUntil(last: string, program: string, ...words: string[]): Promise<string> {
  const child = spawn(process.execPath, commandOf(program, words), settings());
  let output = '';
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text;
    if (output.endsWith(last)) break;
  }
  child.kill();
  return output;
}

test('the examples of the README run with what Node.js 22 has', async () => {
  const numbers = [1, 2, 3, 4, 5, 6, 7];
  const [one, many, stream, resources, watch, json, configuration] = await Promise.all(
    numbers.map((number) => outputOf(`example${number}.ts`)),
  );
  assert.equal(one, 'node01 has 8128512 kB of memory\n');
  assert.deepEqual(many?.split('\n').sort(), [
    '',
    'node01 runs v1.14.0',
    'node02 failed with code 14 at the node itself: no route to node "node02": connection refused',
  ]);
  assert.equal(stream, 'first line\nsecond line\nlast, unfinished (stopped)\n');
  assert.equal(resources, 'cp-1 10.0.0.1 fe80::1\n"worker"\n');
  assert.equal(watch, 'apid true\n');
  assert.equal(json, '8128512\n');
  const lines = configuration?.trimEnd().split('\n') ?? [];
  assert.match(lines[0] ?? '', / (?:written out|stays|changes|left out): /);
  assert.match(lines.at(-2) ?? '', /^true \d+ equal files$/);
  assert.match(lines.at(-1) ?? '', /^~ setting sysctls\S*vm\.swappiness: /);
  assert.doesNotMatch(configuration ?? '', /BEGIN|\b[a-z0-9]{6}\.[a-z0-9]{16}\b/, 'no secrets');
});

test('the programs in examples/ run with what Node.js 22 has', async () => {
  assert.deepEqual(JSON.parse(await outputOf('show-members.ts')), [
    { name: 'cp-1', addresses: ['10.0.0.1', 'fe80::1'], role: 'controlplane' },
  ]);
  assert.equal(
    await outputUntil('-- now\n', 'follow-services.ts', 'node01', '600'),
    'created apid: healthy\n-- now\n',
  );
  assert.equal(await outputOf('compare-versions.ts'), 'node01 v1.14.0\n');
  const lines = (await outputOf('export-resources.ts', 'node01', 'members')).trimEnd().split('\n');
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)).map(({ metadata, spec }) => [metadata.id, spec.hostname]),
    [['cp-1', 'cp-1']],
  );
});

test('openTalosClient() uses the current context of the talosconfig that talosctl would use', async () => {
  const program =
    "import { openTalosClient } from '@nodewright/client'; console.log(openTalosClient().endpoints.length);";
  await writeFile(join(project, 'default.mjs'), program);
  const home = join(project, 'home');
  await mkdir(join(home, '.talos'), { recursive: true });
  await cp(talosconfig, join(home, '.talos', 'config'));
  const runWith = (env: Record<string, string>) =>
    run(process.execPath, ['default.mjs'], { cwd: project, timeout: timeoutMs, env }).then(
      ({ stdout }) => stdout,
      (error: { stderr: string }) => error.stderr,
    );
  assert.equal(await runWith({ HOME: home }), '1\n');
  assert.equal(await runWith({ HOME: '/nope', TALOS_HOME: join(home, '.talos') }), '1\n');
  assert.match(await runWith({ HOME: '/nope' }), /there is no talosconfig/);
  assert.match(
    await runWith({ HOME: home, TALOSCONFIG: 'nope' }),
    /\/nope, which TALOSCONFIG names, is missing/,
  );
});

test('an older Node.js is rejected at import, with the required version', async () => {
  const asNode20 = `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });`;
  await writeFile(join(project, 'as-node-20.mjs'), asNode20);
  await writeFile(join(project, 'import.mjs'), "import '@nodewright/client';\n");
  const failed = await run(process.execPath, ['--import', './as-node-20.mjs', 'import.mjs'], {
    cwd: project,
    timeout: 60_000,
  }).then(
    () => undefined,
    (error: { stderr: string }) => error.stderr,
  );
  assert.match(failed ?? '', /@nodewright\/client needs Node\.js 22 or later: this is 20\.19\.0/);
});

test("the examples and every declaration of the package pass the compiler's strict checks", async () => {
  await writeFile(
    join(project, 'more.ts'),
    [
      "import { type ClusterNodes, checkHealth } from '@nodewright/client/health';",
      "import { diffByMeaning, type Effect, loadConfiguration, type Proof } from '@nodewright/client/configuration';",
      "import { parseTalosconfig } from '@nodewright/client/talosconfig';",
      "import type { NodeClient } from '@nodewright/client';",
      "import { addressStatuses, disks } from '@nodewright/client/kinds';",
      "import { ContainerDriver } from '@nodewright/client/messages/common/common';",
      "import type { LogsRequest } from '@nodewright/client/messages/machine/machine';",
      'const proof: Proof = { differences: [], unproven: [], equalFiles: [] };',
      'export const effects = (one: string, other: string): Effect[] =>',
      '  diffByMeaning(loadConfiguration(one), loadConfiguration(other)).changes.map(({ effect }) => effect);',
      '// @ts-expect-error: a change has no values, which may be secrets',
      'export const values = diffByMeaning([], []).changes.map(({ value }) => value);',
      'const request: Partial<LogsRequest> = { driver: ContainerDriver.CRI };',
      'const nodes: ClusterNodes = { controlPlanes: [], workers: [] };',
      '// @ts-expect-error: a field that no request has',
      'const wrong: Partial<LogsRequest> = { tail: 1 };',
      'export async function read({ resources }: NodeClient): Promise<[string, boolean]> {',
      "  const address = await resources.get(addressStatuses, 'lo/127.0.0.1/8');",
      "  const disk = await resources.get(disks, 'sda');",
      '  // @ts-expect-error: a field that no disk has',
      '  console.log(disk.spec.nosuch);',
      '  // @ts-expect-error: of a kind by name it is not known what its specs are',
      "  console.log((await resources.get('disks', 'sda')).spec.size);",
      '  return [address.spec.linkName, disk.spec.readonly ?? false];',
      '}',
      'console.log(request.driver, proof.differences.length + nodes.workers.length + Object.keys(wrong).length, typeof checkHealth, typeof parseTalosconfig);',
    ].join('\n'),
  );
  await writeFile(
    join(project, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ target: 'esnext', lib: ['esnext'], module: 'nodenext', strict: true, noEmit: true },
        ...{ types: ['node'], typeRoots: [join(checkout, 'node_modules', '@types')], skipLibCheck: false },
      },
      include: ['*.ts'],
    }),
  );
  const tsc = join(checkout, 'node_modules', '.bin', 'tsc');
  const { stdout } = await run(tsc, ['-p', project]).catch((error: { stdout: string }) => error);
  assert.equal(stdout, '');
  assert.equal(await outputOf('more.ts'), '1 1 function function\n');
});

test('the package lists everything that it imports, and refers to nothing in this checkout', async () => {
  const manifest = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
  assert.deepEqual(
    [manifest.private, manifest.types, manifest.engines, Object.keys(manifest.dependencies)],
    [
      undefined,
      manifest.exports['.'].types,
      { node: '>=22' },
      [
        '@bufbuild/protobuf',
        '@grpc/grpc-js',
        'nice-grpc',
        'nice-grpc-common',
        'node-forge',
        'tar-stream',
        'yaml',
      ],
    ],
  );
  // What the page of a package at npm shows.
  const shown = ['name', 'version', 'description', 'license', 'author', 'keywords'];
  assert.deepEqual(
    shown.filter((field) => (manifest[field] ?? '').length === 0),
    [],
  );
  const { stdout } = await run(
    'grep',
    ['-rlE', `@nodewright/(contract|fault|rpc)|${checkout}/(packages|node_modules)/`, 'dist', 'types'],
    {
      cwd: sdk,
    },
  ).catch((error: { stdout: string }) => error);
  assert.equal(stdout, '');
});
