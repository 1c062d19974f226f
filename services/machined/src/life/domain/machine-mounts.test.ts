import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mountsToDetach } from './machine-mounts.ts';

test('mountsToDetach() has the file systems of containers before the volume that they use', () => {
  const rootfs = '/run/containerd/io.containerd.runtime.v2.task/system/one/rootfs';
  const mounts = ['/', '/run', '/var', '/system/state', rootfs, '/var/lib/containerd/inner', '/tmp'];
  const volumes = ['/opt', '/system/imagecache/disk', '/var', '/system/state'];
  assert.deepEqual(mountsToDetach(mounts), ['/var/lib/containerd/inner', rootfs, ...volumes]);
});
