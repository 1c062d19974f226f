import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerOptions } from './container-options.ts';
import { enginePathOf } from './node-container.ts';

const node = {
  id: 'abc',
  labels: {},
  mounts: [
    { source: '/volumes/state/_data', target: '/system/state' },
    { source: '/volumes/lib/_data', target: '/var/lib' },
    { source: '/volumes/etcd/_data', target: '/var/lib/etcd' },
  ],
};
const init = { name: 'c-node01-system-etcd', imageId: 'sha256:1', labels: { a: 'b' }, node };

test('enginePathOf() uses the deepest mount, and returns undefined without a mount', () => {
  assert.equal(enginePathOf('/var/lib/etcd/member', node.mounts), '/volumes/etcd/_data/member');
  assert.equal(enginePathOf('/var/lib/etcd', node.mounts), '/volumes/etcd/_data');
  assert.equal(enginePathOf('/var/lib/etcd.snapshot', node.mounts), '/volumes/lib/_data/etcd.snapshot');
  assert.equal(enginePathOf('/var/libs', node.mounts), undefined);
});

test('containerOptions() permits nothing beyond the specification', () => {
  const { HostConfig, User, Entrypoint } = containerOptions({ ...init, spec: { id: 'x', image: 'y' } });
  assert.equal(User, '0:0');
  assert.equal(Entrypoint, undefined);
  assert.deepEqual([HostConfig?.CapDrop, HostConfig?.CapAdd], [['ALL'], []]);
  assert.deepEqual(HostConfig?.SecurityOpt, ['no-new-privileges:true']);
  assert.equal(HostConfig?.ReadonlyRootfs, true);
  assert.equal(HostConfig?.NetworkMode, 'none');
});

test("containerOptions() gives a container the node's network and files of the node", () => {
  const spec = {
    id: 'etcd',
    image: 'etcd',
    command: ['/usr/local/bin/etcd', '--name=node01'],
    network: 'host',
    mounts: [{ kind: 'bind', source: '/var/lib/etcd', target: '/var/lib/etcd' }],
  } as const;
  const { HostConfig, Entrypoint, Cmd } = containerOptions({ ...init, spec });
  assert.deepEqual([Entrypoint, Cmd], [[...spec.command], []]);
  assert.equal(HostConfig?.NetworkMode, 'container:abc');
  assert.deepEqual(HostConfig?.Mounts, [
    { Type: 'bind', Source: '/volumes/etcd/_data', Target: '/var/lib/etcd', ReadOnly: false },
  ]);
  assert.equal(containerOptions({ ...init, node: undefined, spec }).HostConfig?.NetworkMode, 'host');
  const hidden = { ...spec, mounts: [{ kind: 'bind', source: '/tmp/x', target: '/x' }] } as const;
  assert.throws(
    () => containerOptions({ ...init, spec: hidden }),
    /"\/tmp\/x" exists only inside the node's own container/,
  );
});

test('containerOptions() refuses containers that would get the processes or devices of the engine', () => {
  for (const part of [{ processes: 'host' }, { devices: 'host' }] as const)
    assert.throws(() => containerOptions({ ...init, spec: { id: 'x', image: 'y', ...part } }), {
      kind: 'invalid-argument',
    });
});
