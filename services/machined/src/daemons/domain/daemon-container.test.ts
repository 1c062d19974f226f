import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChildDaemon } from './daemon-command.ts';
import { daemonContainer } from './daemon-container.ts';

const containerOf = (daemon: ChildDaemon, missing: readonly string[] = []) =>
  daemonContainer({
    daemon,
    command: ['/usr/bin/node', '--permission', `/usr/lib/nodewright/${daemon}/${daemon}.cjs`],
    environment: { PATH: '/usr/bin', EMPTY: '', NOT_SET: undefined },
    user: { uid: 50, gid: 50 },
    servicesFolder: '/usr/lib/nodewright',
    nodeBinary: '/usr/bin/node',
    oomScoreAdjust: -998,
    exists: (path) => !missing.includes(path),
  });
const bound = (daemon: ChildDaemon, access: 'ro' | 'rw') =>
  containerOf(daemon)
    .mounts.filter(({ type, options }) => type === 'bind' && options.includes(access))
    .map(({ destination, source }) => {
      assert.equal(destination, source, 'the flags of the permission model name the same paths');
      return source;
    });

test('daemonContainer() runs a daemon as its own user without any capability', () => {
  const { process, root, linux } = containerOf('apid');
  assert.deepEqual(process, {
    terminal: false,
    user: { uid: 50, gid: 50 },
    args: ['/usr/bin/node', '--permission', '/usr/lib/nodewright/apid/apid.cjs'],
    env: ['PATH=/usr/bin', 'EMPTY='],
    cwd: '/',
    capabilities: { bounding: [], effective: [], permitted: [] },
    rlimits: [],
    noNewPrivileges: true,
    oomScoreAdj: -998,
  });
  assert.deepEqual(root, { path: '/system/libexec/apid', readonly: true });
  assert.equal(linux.cgroupsPath, '/system/apid');
  assert.deepEqual(
    linux.namespaces.map(({ type }) => type),
    ['pid', 'ipc', 'mount', 'cgroup'],
  );
  const refused = linux.seccomp?.syscalls[0]?.names ?? [];
  for (const name of ['mount', 'setns', 'unshare', 'bpf', 'reboot']) assert.ok(refused.includes(name), name);
});

test('daemonContainer() shows a daemon its program and its sockets only', () => {
  const common = [
    ...['/usr/bin/node', '/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64'],
    '/usr/lib/ld-linux-aarch64.so.1',
  ];
  const settings = ['/etc/nsswitch.conf', '/etc/ssl', '/system/resolved'];
  assert.deepEqual(bound('apid', 'ro'), [
    ...[...common, '/usr/lib/nodewright/apid', ...settings],
    ...['/system/run/apid', '/run/machined'],
  ]);
  assert.deepEqual(bound('apid', 'rw'), ['/run/apid']);
  assert.deepEqual(bound('trustd', 'ro'), [
    ...[...common, '/usr/lib/nodewright/trustd', ...settings],
    '/system/run/trustd',
  ]);
  assert.deepEqual(bound('trustd', 'rw'), ['/run/trustd']);
  assert.deepEqual(bound('registryd', 'ro'), [
    ...[...common, '/usr/lib/nodewright/registryd', ...settings],
    ...['/system/imagecache/disk', '/usr/lib/nodewright/imagecache', '/var/lib/nodewright/imagecache'],
    '/system/run/registryd',
  ]);
  assert.deepEqual(bound('registryd', 'rw'), ['/run/registryd', '/var/lib/registryd']);
  for (const { options } of containerOf('apid').mounts) assert.ok(options.includes('nosuid'));
});

test('daemonContainer() leaves out what the machine does not have', () => {
  const { mounts } = containerOf('apid', ['/usr/lib/aarch64-linux-gnu', '/usr/lib/ld-linux-aarch64.so.1']);
  assert.deepEqual(
    mounts.filter(({ source }) => source.includes('aarch64')),
    [],
  );
});
