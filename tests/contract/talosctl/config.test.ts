// `talosctl config`, on files of its own.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { issuing } from './replies.ts';
import type { TalosctlResult } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const issued = 'context: reader@demo\ncontexts:\n    reader@demo:\n        endpoints: []\n        ca: Q0E=\n';
const suite = openSuite({
  '/machine.MachineService/GenerateClientConfiguration': (call) =>
    call.node === 'refusing' ? call.fail(7, 'not authorized') : issuing(issued)(call),
});

const twoContexts = `context: a
contexts:
    a:
        endpoints:
            - 10.5.0.2
            - 10.5.0.3
        nodes: [n1, n2, n3, n4]
    b:
        endpoints: []
`;

/** A folder with a talosconfig, and a function that runs talosctl with it. */
async function workplace(text = twoContexts) {
  const folder = await mkdtemp(join(suite.cluster.folder, 'config-'));
  const path = join(folder, 'config');
  writeFileSync(path, text);
  return {
    folder,
    path,
    read: () => parseTalosconfig(readFileSync(path, 'utf8')),
    run: (...words: string[]) =>
      suite.talosctl.run(words, { environment: { TALOSCONFIG: path }, cwd: folder }),
  };
}

function succeeded({ stdout, stderr, exitCode }: TalosctlResult): void {
  assert.deepEqual({ stdout, stderr, exitCode }, { stdout: '', stderr: '', exitCode: 0 });
}

test('config contexts lists the contexts, with at most three nodes each', async () => {
  const { run } = await workplace();
  assert.equal(
    (await run('config', 'contexts')).stdout,
    `CURRENT   NAME   ENDPOINTS           NODES
*         a      10.5.0.2,10.5.0.3   n1,n2,n3...
          b                          
`,
  );
  assert.deepEqual(JSON.parse((await run('config', 'get-contexts', '-o', 'json')).stdout)[1], {
    name: 'b',
    current: false,
    endpoints: [],
    nodes: [],
  });
});

test('config context changes the current context, and rejects a missing one', async () => {
  const { run, read } = await workplace();
  succeeded(await run('config', 'context', 'b'));
  assert.equal(read().context, 'b');
  const { stderr, exitCode } = await run('config', 'use-context', 'c');
  assert.match(stderr, /^error: context "c" is not defined in talosconfig .*; its contexts are: a, b\n$/);
  assert.deepEqual([exitCode, read().context], [1, 'b']);
});

test('config endpoint and node replace lists of the current context or of --context', async () => {
  const { run, read, path } = await workplace();
  succeeded(await run('config', 'endpoint', '10.0.0.1', ' 10.0.0.2 '));
  succeeded(await run('config', 'nodes', '--context', 'b', 'x', 'y'));
  succeeded(await run('config', 'node'));
  const { contexts } = read();
  assert.deepEqual(
    [contexts.get('a'), contexts.get('b')],
    [
      { endpoints: ['10.0.0.1', '10.0.0.2'], nodes: [] },
      { endpoints: [], nodes: ['x', 'y'] },
    ],
  );
  assert.equal((statSync(path).mode & 0o777).toString(8), '600');
  const { stderr, exitCode } = await run('config', 'endpoint');
  assert.match(stderr, /^error: argument <endpoint> is missing/);
  assert.equal(exitCode, 1);
});

test('config proxy-url sets, prints and clears', async () => {
  const { run, read } = await workplace();
  succeeded(await run('config', 'proxy-url', 'direct'));
  assert.deepEqual(await run('config', 'proxy-url'), { stdout: '', stderr: 'direct\n', exitCode: 0 });
  const printed = await run('config', 'proxy-url', '-o', 'json');
  assert.deepEqual(JSON.parse(printed.stdout), { context: 'a', proxyUrl: 'direct' });
  succeeded(await run('config', 'proxy-url', ''));
  assert.equal(read().contexts.get('a')?.proxyUrl, undefined);
});

test('config add makes a context from PEM files and does not switch to it', async () => {
  const { run, read, folder } = await workplace();
  const client = await suite.cluster.clientCertificate();
  writeFileSync(join(folder, 'ca'), suite.cluster.ca.certificate);
  writeFileSync(join(folder, 'crt'), client.certificate);
  writeFileSync(join(folder, 'key'), client.key);
  succeeded(await run('config', 'add', 'new', '--ca', 'ca', '--crt', 'crt', '--key', 'key'));
  const { context, contexts } = read();
  const added = contexts.get('new');
  assert.deepEqual(
    [context, added?.endpoints, Buffer.from(added?.key?.reveal() ?? '', 'base64').toString()],
    ['a', [], client.key],
  );
  const lonely = await run('config', 'add', 'x', '--crt', 'crt');
  assert.match(
    lonely.stderr,
    /^error: flags --crt and --key must be used together; see "talosctl config add --help"\n$/,
  );
  const missing = await run('config', 'add', 'x', '--ca', 'nowhere');
  assert.match(missing.stderr, /^error: cannot read "nowhere": no such file or directory\n$/);
  assert.equal(read().contexts.has('x'), false);
});

test('config info shows the certificate of the context', async () => {
  const { run } = await workplace(readFileSync(suite.talosconfig, 'utf8'));
  const { stdout } = await run('config', 'info');
  assert.match(
    stdout,
    /^Current context: {5}test\nNodes: {15}node01, node02\nEndpoints: {11}127\.0\.0\.1:\d+\nRoles: {15}os:admin\nCertificate expires: 22 hours from now \(\d{4}-\d\d-\d\d\)\n$/,
  );
  const info = JSON.parse((await run('config', 'info', '-o', 'json')).stdout);
  assert.deepEqual(Object.keys(info), ['context', 'nodes', 'endpoints', 'roles', 'certTTL', 'certNotAfter']);
  assert.deepEqual(
    (await (await workplace()).run('config', 'info', '--context', 'b')).stdout,
    'Current context:     a\nNodes:               not defined\nEndpoints:           not defined\n',
  );
});

test('config merge adds contexts, renames those whose name is taken and prints that', async () => {
  const { run, read, folder } = await workplace();
  writeFileSync(join(folder, 'more'), 'context: a\ncontexts: {a: {endpoints: [x]}, c: {endpoints: []}}\n');
  const { stderr, exitCode } = await run('config', 'merge', 'more');
  assert.deepEqual(
    { stderr, exitCode },
    { stderr: 'renamed talosconfig context "a" -> "a-1"\n', exitCode: 0 },
  );
  assert.deepEqual([read().context, [...read().contexts.keys()]], ['a-1', ['a', 'a-1', 'b', 'c']]);
});

test('config merge of a missing or invalid file changes nothing', async () => {
  const { run, folder, path } = await workplace();
  const before = readFileSync(path, 'utf8');
  writeFileSync(join(folder, 'broken'), 'contexts: [\n');
  const [missing, broken] = [await run('config', 'merge', 'nowhere'), await run('config', 'merge', 'broken')];
  assert.match(missing.stderr, /^error: talosconfig \S+nowhere does not exist\n$/);
  assert.match(broken.stderr, /^error: talosconfig \S+broken: line 2: /);
  assert.deepEqual([readFileSync(path, 'utf8'), readdirSync(folder).sort()], [before, ['broken', 'config']]);
});

test('config remove asks for confirmation, keeps the current context and accepts patterns with *', async () => {
  const { run, read, path } = await workplace('context: a\ncontexts: {a: {}, a-1: {}, a-2: {}, b: {}}\n');
  const asked = await suite.talosctl.run(['config', 'remove', 'a*'], {
    environment: { TALOSCONFIG: path },
    stdin: 'n\ny\n',
  });
  assert.equal(
    asked.stderr,
    'skipping context "a": it is the current one\nremove context "a-1"? (y/N): remove context "a-2"? (y/N): ',
  );
  assert.deepEqual([...read().contexts.keys()], ['a', 'a-1', 'b']);
  assert.equal((await run('config', 'remove', 'b', '--dry-run')).stderr, 'would remove context "b"\n');
  succeeded(await run('config', 'remove', '-y', 'b'));
  assert.deepEqual([...read().contexts.keys()], ['a', 'a-1']);
  const { stderr, exitCode } = await run('config', 'remove', 'zzz');
  assert.match(stderr, /^error: no context of talosconfig \S+ matches "zzz"; its contexts are: a, a-1\n$/);
  assert.equal(exitCode, 1);
});

test('config new requests a configuration from a node, adds the endpoints and overwrites nothing', async () => {
  const { run, folder } = await workplace(readFileSync(suite.talosconfig, 'utf8'));
  succeeded(await run('-n', 'node01', 'config', 'new', '--roles', 'os:reader', '--crt-ttl', '1h', 'out'));
  const created = parseTalosconfig(readFileSync(join(folder, 'out'), 'utf8'));
  assert.deepEqual(
    [
      created.context,
      created.contexts.get('reader@demo')?.endpoints,
      statSync(join(folder, 'out')).mode & 0o777,
    ],
    ['reader@demo', [suite.gateway.address], 0o600],
  );
  const rows: [string[], RegExp][] = [
    [
      ['-n', 'node01', 'config', 'new', 'out'],
      /^error: \S+out already exists and is not overwritten: name another file\n$/,
    ],
    [['-n', 'node01', 'config', 'new', '--roles', 'os:king', 'x'], /^error: unknown role "os:king"/],
    [
      ['-n', 'refusing', 'config', 'new', 'x'],
      /^error from node refusing: rpc error: code = PermissionDenied desc = not authorized\n"talosctl config info" shows .*\n$/,
    ],
    [['config', 'new', 'x'], /^error: config new works on one node, and 2 are named/],
  ];
  for (const [words, expected] of rows) assert.match((await run(...words)).stderr, expected);
  assert.equal(existsSync(join(folder, 'x')), false);
});

test('the default file is created in TALOS_HOME, in a private folder, and nowhere else', async () => {
  const { folder } = await workplace();
  const home = join(folder, 'talos');
  writeFileSync(join(folder, 'more'), twoContexts);
  succeeded(
    await suite.talosctl.run(['config', 'merge', 'more'], { environment: { TALOS_HOME: home }, cwd: folder }),
  );
  assert.deepEqual(
    [readdirSync(home), (statSync(home).mode & 0o777).toString(8), existsSync(suite.talosctl.home)],
    [['config'], '700', false],
  );
});
