import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { pointerTo, putResource, type State, teardownAndDestroy } from '@nodewright/state';
import { etcFileSpecs, etcFileStatuses, hostnameStatuses } from '@nodewright/state/kinds';
import { filesControllers } from './files-controllers.ts';

const folder = mkdtempSync(join(tmpdir(), 'node-'));
after(() => rmSync(folder, { recursive: true }));

const want = (state: State, id: string, contents: string, mode = 0o644) =>
  putResource(state, { ...pointerTo(etcFileSpecs, id), spec: { contents, mode, selinux_label: '' } });

test('files below /etc have the contents of their specs, and are removed with them', async () => {
  const root = join(folder, 'one');
  await using runtime = openTestRuntime({ controllers: filesControllers({ root }) });
  const { state } = runtime;
  const versions = async () => {
    await runtime.settled();
    const specs = await state.list(etcFileSpecs);
    const statuses = await state.list(etcFileStatuses);
    assert.deepEqual(
      statuses.map(({ metadata, spec }) => [metadata.id, spec.specVersion]),
      specs.map(({ metadata }) => [metadata.id, String(metadata.version)]),
    );
    return statuses.map(({ metadata }) => metadata.id).filter((id) => id !== 'os-release');
  };
  const read = (name: string) => readFileSync(join(root, 'system/etc', name), 'utf8');
  await want(state, 'hosts', '127.0.0.1 localhost\n');
  await want(state, 'cri/conf.d/cri.toml', 'version = 3\n', 0o600);
  assert.deepEqual(await versions(), ['cri/conf.d/cri.toml', 'hosts']);
  assert.deepEqual([read('hosts'), read('cri/conf.d/cri.toml')], ['127.0.0.1 localhost\n', 'version = 3\n']);
  assert.equal(statSync(join(root, 'system/etc/cri/conf.d/cri.toml')).mode & 0o777, 0o600);
  await want(state, 'hosts', '127.0.0.1 node01\n');
  await versions();
  assert.equal(read('hosts'), '127.0.0.1 node01\n');

  await teardownAndDestroy(state, pointerTo(etcFileSpecs, 'hosts'));
  assert.deepEqual(await versions(), ['cri/conf.d/cri.toml']);
  assert.equal(existsSync(join(root, 'system/etc/hosts')), false);
});

test('a node with its own root has an /etc with a link to each file, and the files that an image would have', async () => {
  const root = join(folder, 'linked');
  await using runtime = openTestRuntime({ controllers: filesControllers({ root }) });
  const { state } = runtime;
  await want(state, 'hosts', '127.0.0.1 localhost\n');
  await want(state, 'cri/conf.d/cri.toml', 'version = 3\n');
  await putResource(state, {
    ...pointerTo(hostnameStatuses, 'hostname'),
    spec: { hostname: 'node01', domainname: '' },
  });
  // A file that another program has created is not replaced.
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/resolv.conf'), 'own\n');
  await want(state, 'resolv.conf', 'generated\n');
  await runtime.settled();
  const read = (name: string) => readFileSync(join(root, 'etc', name), 'utf8');
  assert.equal(readlinkSync(join(root, 'etc/hosts')), '../system/etc/hosts');
  assert.deepEqual(['hosts', 'cri/conf.d/cri.toml', 'hostname', 'resolv.conf'].map(read), [
    '127.0.0.1 localhost\n',
    'version = 3\n',
    'node01\n',
    'own\n',
  ]);
  assert.match(read('os-release'), /^ID=talos$/m);

  await teardownAndDestroy(state, pointerTo(etcFileSpecs, 'hosts'));
  await runtime.settled();
  assert.equal(lstatSync(join(root, 'etc/hosts'), { throwIfNoEntry: false }), undefined);
});

test('a node that owns its /etc has the files there, in place of those of its image', async () => {
  const root = join(folder, 'owned');
  mkdirSync(join(root, 'etc'), { recursive: true });
  writeFileSync(join(root, 'etc/hosts'), '');
  const controllers = filesControllers({ root, ownsEtc: true, runsContainers: true });
  await using runtime = openTestRuntime({ controllers });
  await want(runtime.state, 'hosts', '127.0.0.1 localhost\n');
  await runtime.settled();
  assert.equal(readFileSync(join(root, 'etc/hosts'), 'utf8'), '127.0.0.1 localhost\n');
  assert.equal(lstatSync(join(root, 'etc/hosts')).isFile(), true);
  // What looks up names in a container finds a copy in a folder, which is replaced with the file.
  const copyOf = (name: string) => join(root, 'system/resolved/node', name);
  assert.equal(readFileSync(copyOf('hosts'), 'utf8'), '127.0.0.1 localhost\n');
  await want(runtime.state, 'resolv.conf', 'nameserver 10.0.0.1\n');
  await want(runtime.state, 'hostname', 'node01\n');
  await runtime.settled();
  await want(runtime.state, 'resolv.conf', 'nameserver 10.0.0.2\n');
  await runtime.settled();
  assert.equal(readFileSync(copyOf('resolv.conf'), 'utf8'), 'nameserver 10.0.0.2\n');
  assert.equal(existsSync(copyOf('hostname')), false);
  await teardownAndDestroy(runtime.state, pointerTo(etcFileSpecs, 'hosts'));
  await runtime.settled();
  assert.equal(existsSync(copyOf('hosts')), false);
});

test('a node in a container, whose /etc belongs to its engine, has the copies for its own containers too', async () => {
  const root = join(folder, 'contained');
  await using runtime = openTestRuntime({ controllers: filesControllers({ root, runsContainers: true }) });
  await want(runtime.state, 'resolv.conf', 'nameserver 10.0.0.1\n');
  await runtime.settled();
  for (const path of ['system/etc/resolv.conf', 'system/resolved/node/resolv.conf'])
    assert.equal(readFileSync(join(root, path), 'utf8'), 'nameserver 10.0.0.1\n');
});

test('a file is written again only if its contents or mode differ', async () => {
  const root = join(folder, 'two');
  const path = join(root, 'system/etc/hosts');
  const start = async () => {
    await using runtime = openTestRuntime({ controllers: filesControllers({ root }) });
    await want(runtime.state, 'hosts', 'a\n');
    await runtime.settled();
    return statSync(path).ino;
  };
  const first = await start();
  assert.equal(await start(), first);
  writeFileSync(path, 'b\n');
  assert.notEqual(await start(), first);
  chmodSync(path, 0o600);
  await start();
  assert.deepEqual([readFileSync(path, 'utf8'), statSync(path).mode & 0o777], ['a\n', 0o644]);
});

test('a name that leads out of the folder is rejected, and other files are still written', async () => {
  const root = join(folder, 'three');
  await using runtime = openTestRuntime({ controllers: filesControllers({ root }) });
  const { state } = runtime;
  const bad = ['../escape', '/escape', 'a/../../escape', 'a//b', '..', '.', 'a/'];
  for (const id of [...bad, 'hosts']) await want(state, id, 'x');
  await runtime.settled();
  const written = await state.list(etcFileStatuses);
  assert.deepEqual(
    written.map(({ metadata }) => metadata.id),
    ['hosts', 'os-release'],
  );
  assert.deepEqual(
    [existsSync(join(folder, 'escape')), existsSync(join(root, 'system/escape'))],
    [false, false],
  );
  const refused = new Set(runtime.logged.filter(({ level }) => level === 'error').map(({ file }) => file));
  assert.deepEqual([...refused].sort(), [...bad].sort());
});
