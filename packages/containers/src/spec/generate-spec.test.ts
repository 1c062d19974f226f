import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ImageProcess } from '@nodewright/oci';
import type { ContainerSpec } from '../container-runtime.ts';
import { generateSpec } from './generate-spec.ts';

const image: ImageProcess = {
  entrypoint: ['/bin/app'],
  command: ['serve'],
  environment: ['PATH=/bin', 'FROM=image'],
  workingDirectory: '/srv',
  user: '1000',
};
const generate = (spec: Partial<ContainerSpec> = {}, of = image) =>
  generateSpec({
    spec: { id: 'app', image: 'registry.example/app:v1', ...spec },
    image: of,
    cgroupPath: '/system/app',
  });

test('generateSpec() runs the command of the image as root without any capability', () => {
  const { process, root, linux } = generate();
  assert.deepEqual(process, {
    terminal: false,
    user: { uid: 0, gid: 0 },
    args: ['/bin/app', 'serve'],
    env: ['PATH=/bin', 'FROM=image'],
    cwd: '/srv',
    capabilities: { bounding: [], effective: [], permitted: [] },
    rlimits: [],
    noNewPrivileges: true,
  });
  assert.deepEqual(root, { path: 'rootfs', readonly: true });
  assert.equal(linux.cgroupsPath, '/system/app');
  assert.deepEqual(linux.resources, { devices: [{ allow: false, access: 'rwm' }] });
});

test('generateSpec() prefers the specification over the image', () => {
  const { process, root, linux } = generate({
    command: ['/bin/other', 'x'],
    environment: { FROM: 'specification', MORE: 'a=b' },
    workingDirectory: '/tmp',
    user: { uid: 60, gid: 61 },
    capabilities: ['CAP_NET_BIND_SERVICE'],
    readOnlyRoot: false,
    oomScoreAdjust: -998,
    limits: { memoryBytes: 1 << 20, processes: 7, openFiles: 10240 },
  });
  assert.deepEqual(process, {
    terminal: false,
    user: { uid: 60, gid: 61 },
    args: ['/bin/other', 'x'],
    env: ['PATH=/bin', 'FROM=specification', 'MORE=a=b'],
    cwd: '/tmp',
    capabilities: {
      bounding: ['CAP_NET_BIND_SERVICE'],
      effective: ['CAP_NET_BIND_SERVICE'],
      permitted: ['CAP_NET_BIND_SERVICE'],
    },
    rlimits: [{ type: 'RLIMIT_NOFILE', hard: 10240, soft: 10240 }],
    noNewPrivileges: true,
    oomScoreAdj: -998,
  });
  assert.equal(root.readonly, false);
  assert.deepEqual(
    { memory: linux.resources.memory, pids: linux.resources.pids },
    {
      memory: { limit: 1 << 20 },
      pids: { limit: 7 },
    },
  );
});

test('generateSpec() sets a default PATH where the image has none, and refuses to run without a command', () => {
  const bare = { ...image, entrypoint: [], command: [], environment: [] };
  assert.match(generate({ command: ['app'] }, bare).process.env[0] ?? '', /^PATH=.*\/bin/);
  assert.throws(() => generate({}, bare), {
    kind: 'invalid-argument',
    message: /"app".*registry\.example\/app:v1/,
  });
  assert.throws(() => generate({ command: [] }), { kind: 'invalid-argument' });
});

test('generateSpec() does not lower the OOM score below the limit', () => {
  const scoreOf = (oomScoreAdjust: number) =>
    generateSpec({
      spec: { id: 'app', image: 'a/b:v1', oomScoreAdjust },
      image,
      cgroupPath: '/app',
      lowestOomScore: -5,
    }).process.oomScoreAdj;
  assert.deepEqual([-998, -5, 0, 900].map(scoreOf), [-5, -5, 0, 900]);
});

test("generateSpec() creates a network namespace unless the node's network is requested", () => {
  const types = (spec: Partial<ContainerSpec>) => generate(spec).linux.namespaces.map(({ type }) => type);
  assert.deepEqual(types({}), ['pid', 'ipc', 'uts', 'mount', 'network']);
  assert.deepEqual(types({ network: 'none' }), ['pid', 'ipc', 'uts', 'mount', 'network']);
  assert.deepEqual(types({ network: 'host' }), ['pid', 'ipc', 'uts', 'mount']);
});

test('generateSpec() adds mounts after the default ones', () => {
  const { mounts } = generate({
    mounts: [
      { kind: 'bind', source: '/var/lib/etcd', target: '/data' },
      { kind: 'bind', source: '/system/secrets/etcd', target: '/secrets', readOnly: true },
      { kind: 'memory', target: '/run', sizeBytes: 4096, mode: 0o700 },
    ],
  });
  assert.deepEqual(
    mounts.slice(0, 2).map(({ destination }) => destination),
    ['/proc', '/dev'],
  );
  assert.deepEqual(mounts.slice(-3), [
    { destination: '/data', type: 'bind', source: '/var/lib/etcd', options: ['rbind', 'rprivate', 'rw'] },
    {
      destination: '/secrets',
      type: 'bind',
      source: '/system/secrets/etcd',
      options: ['rbind', 'rprivate', 'ro'],
    },
    {
      destination: '/run',
      type: 'tmpfs',
      source: 'tmpfs',
      options: ['nosuid', 'nodev', 'size=4096', 'mode=700'],
    },
  ]);
});

test('generateSpec() blocks system calls that reach beyond a container, except those of its capabilities', () => {
  const refused = (capabilities: string[]) =>
    generate({ capabilities }).linux.seccomp?.syscalls[0]?.names ?? [];
  const none = refused([]);
  for (const name of ['mount', 'reboot', 'init_module', 'kexec_load', 'keyctl'])
    assert.ok(none.includes(name), name);
  for (const name of ['read', 'clone', 'socket', 'execve']) assert.ok(!none.includes(name), name);
  const booting = refused(['CAP_SYS_BOOT']);
  assert.deepEqual(
    none.filter((name) => !booting.includes(name)),
    ['reboot'],
  );
});

test('a container of the node sees its processes and devices, and nothing is masked', () => {
  const { process, mounts, linux } = generate({
    ...{ processes: 'host', devices: 'host', network: 'host' },
    mounts: [
      { kind: 'bind', source: '/proc', target: '/proc' },
      { kind: 'bind', source: '/dev', target: '/dev' },
      { kind: 'bind', source: '/run', target: '/run', propagation: 'slave' },
      { kind: 'bind', source: '/var/lib/kubelet', target: '/var/lib/kubelet', propagation: 'shared' },
    ],
  });
  assert.equal(process.noNewPrivileges, false);
  assert.deepEqual(
    linux.namespaces.map(({ type }) => type),
    ['ipc', 'uts', 'mount'],
  );
  assert.deepEqual(linux.resources, { devices: [{ allow: true, access: 'rwm' }] });
  assert.deepEqual([linux.maskedPaths, linux.readonlyPaths], [[], []]);
  assert.equal(linux.rootfsPropagation, 'shared');
  // The mounts on /proc and /dev replace the default ones there and below.
  assert.deepEqual(
    mounts.map(({ destination, options }) => [destination, options[1]]),
    [
      ['/sys', 'noexec'],
      ['/proc', 'rprivate'],
      ['/dev', 'rprivate'],
      ['/run', 'rslave'],
      ['/var/lib/kubelet', 'rshared'],
    ],
  );
});
