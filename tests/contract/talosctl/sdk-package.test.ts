// The client as it is published: the examples of its README, as a stranger's project runs and checks them.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { buildSdk } from '../../../tools/sdk.ts';
import { FakeCluster } from './fake-cluster.ts';
import { withBrokenNode } from './replies.ts';

const checkout = join(import.meta.dirname, '..', '..', '..');
const run = promisify(execFile);
const scope = new AsyncDisposableStack();
let project: string;
let sdk: string;
let talosconfig: string;

before(async () => {
  // Below the checkout, where the packages that the client depends on are found.
  await mkdir(join(checkout, '_out'), { recursive: true });
  const folder = await mkdtemp(join(checkout, '_out', 'sdk-test-'));
  scope.defer(() => rm(folder, { recursive: true, force: true }));
  sdk = join(folder, 'sdk');
  await buildSdk(sdk);
  project = join(folder, 'project');
  await mkdir(join(project, 'node_modules', '@nodewright'), { recursive: true });
  await symlink(sdk, join(project, 'node_modules', '@nodewright', 'client'));
  await writeFile(join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  const readme = await readFile(join(sdk, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/```ts\n(.*?)```/gs)].map(([, text]) => text as string);
  assert.equal(examples.length, 3);
  for (const [at, text] of examples.entries()) await writeFile(join(project, `example${at + 1}.ts`), text);
  const cluster = scope.use(await FakeCluster.create());
  const { address } = scope.use(await cluster.gateway(withBrokenNode('node02')));
  talosconfig = await cluster.talosconfig({ endpoints: [address] });
});
after(() => scope.disposeAsync());

async function outputOf(program: string): Promise<string> {
  const env = { PATH: process.env.PATH, TALOSCONFIG: talosconfig };
  const { stdout, stderr } = await run(process.execPath, [program], { cwd: project, env, timeout: 20_000 });
  assert.equal(stderr, '');
  return stdout;
}

test('the examples of the README run', async () => {
  const [one, many, stream] = await Promise.all([1, 2, 3].map((number) => outputOf(`example${number}.ts`)));
  assert.equal(one, 'node01 has 8128512 kB of memory\n');
  assert.deepEqual(many?.split('\n').sort(), [
    '',
    'node01 runs v1.14.0',
    'node02 failed with code 14 at the node itself: no route to node "node02": connection refused',
  ]);
  assert.equal(stream, 'first line\nsecond line\nlast, unfinished (stopped)\n');
});

test('the examples and every declaration of the package pass the strict checks of the compiler', async () => {
  await writeFile(
    join(project, 'more.ts'),
    [
      "import { type ClusterNodes, checkHealth } from '@nodewright/client/health';",
      "import { parseTalosconfig } from '@nodewright/client/talosconfig';",
      "import { ContainerDriver } from '@nodewright/client/messages/common/common';",
      "import type { LogsRequest } from '@nodewright/client/messages/machine/machine';",
      'const request: Partial<LogsRequest> = { driver: ContainerDriver.CRI };',
      'const nodes: ClusterNodes = { controlPlanes: [], workers: [] };',
      '// @ts-expect-error: a field that no request has',
      'const wrong: Partial<LogsRequest> = { tail: 1 };',
      'console.log(request.driver, nodes.workers.length + Object.keys(wrong).length, typeof checkHealth, typeof parseTalosconfig);',
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

test('the package names everything that it imports, and nothing of this checkout', async () => {
  const manifest = JSON.parse(await readFile(join(sdk, 'package.json'), 'utf8'));
  assert.deepEqual(
    [manifest.private, Object.keys(manifest.dependencies)],
    [undefined, ['@bufbuild/protobuf', '@grpc/grpc-js', 'nice-grpc', 'nice-grpc-common', 'yaml']],
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
