import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskedPaths, readOnlyPaths } from '@nodewright/containers/spec';
import { stringify } from 'yaml';
import { grantableCapabilities } from '../../base/domain/grantable-capabilities.ts';
import { boundSources, serviceContainer } from './service-container.ts';
import { parseServiceSpec } from './service-spec.ts';

const specOf = (container: object = {}) =>
  parseServiceSpec(stringify({ name: 'demo', container: { entrypoint: './demo', ...container } }));
const make = (container: object = {}, change: Partial<Parameters<typeof serviceContainer>[0]> = {}) =>
  serviceContainer({
    ...{ spec: specOf(container), moreEnvironment: [], configFiles: [] },
    ...{ capabilities: ['CAP_NET_ADMIN'], oomScoreAdjust: -600, ...change },
  });

test('a service has the network and the devices of the node, and processes and mounts of its own', () => {
  const { process, root, linux, mounts } = make({ args: ['-v'] });
  assert.deepEqual(process.args, ['./demo', '-v']);
  assert.deepEqual([process.cwd, process.user, process.oomScoreAdj], ['/', { uid: 0, gid: 0 }, -600]);
  assert.deepEqual(process.capabilities.effective, ['CAP_NET_ADMIN']);
  assert.deepEqual(root, { path: '/usr/local/lib/containers/demo', readonly: true });
  assert.deepEqual(linux, {
    cgroupsPath: '/system/extensions/demo',
    namespaces: [{ type: 'pid' }, { type: 'mount' }],
    resources: { devices: [{ allow: true, access: 'rwm' }] },
    maskedPaths,
    readonlyPaths: readOnlyPaths,
  });
  assert.ok(mounts.find(({ destination }) => destination === '/sys')?.options.includes('ro'));
});

test('what a service says about its security counts', () => {
  const security = {
    writeableRootfs: true,
    writeableSysfs: true,
    maskedPaths: [],
    rootfsPropagation: 'slave',
  };
  const { root, linux, mounts } = make({ security });
  assert.equal(root.readonly, false);
  assert.deepEqual([linux.maskedPaths, linux.readonlyPaths], [[], readOnlyPaths]);
  assert.equal(linux.rootfsPropagation, 'slave');
  assert.ok(!mounts.find(({ destination }) => destination === '/sys')?.options.includes('ro'));
});

test('variables of the file and of the configuration come after its own, and files of the configuration last', () => {
  const mount = { source: '/var/lib/demo', destination: '/data', type: 'bind', options: ['rbind'] };
  const { process, mounts } = make(
    { environment: ['A=1', 'B=1'], mounts: [mount] },
    {
      moreEnvironment: ['B=2', 'C=2', 'C=3'],
      configFiles: [{ name: 'etc-demo.conf', mountPath: '/etc/demo.conf' }],
    },
  );
  assert.match(process.env[0] ?? '', /^PATH=/);
  assert.deepEqual(process.env.slice(1), ['A=1', 'B=2', 'C=3']);
  assert.deepEqual(mounts.slice(-2), [
    mount,
    {
      ...{ destination: '/etc/demo.conf', type: 'bind', options: ['bind', 'ro'] },
      source: '/system/overlays/extensions/demo/etc-demo.conf',
    },
  ]);
});

test('only sources of bind mounts are folders of the node', () => {
  const mounts = [
    { source: '/a', destination: '/a', type: 'bind' },
    { source: '/b', destination: '/b', options: ['rbind'] },
    { source: 'tmpfs', destination: '/c', type: 'tmpfs' },
    { source: '/dev/x', destination: '/d', type: 'ext4' },
  ];
  assert.deepEqual(boundSources(specOf({ mounts })), ['/a', '/b']);
});

test('a service gets the capabilities that machined may give, but loads no modules and does not restart the machine', () => {
  const all = grantableCapabilities('Name:\tx\nCapBnd:\t000001ffffffffff\n');
  assert.equal(all.length, 39);
  assert.deepEqual([all[0], all.at(-1)], ['CAP_CHOWN', 'CAP_CHECKPOINT_RESTORE']);
  assert.ok(!all.includes('CAP_SYS_MODULE') && !all.includes('CAP_SYS_BOOT'));
  assert.deepEqual(grantableCapabilities('CapBnd:\t0000000000010001\n'), ['CAP_CHOWN']);
  assert.deepEqual(grantableCapabilities(''), []);
});
