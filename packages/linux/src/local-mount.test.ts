import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocalMount } from './local-mount.ts';

test('isLocalMount() trusts memory, the kernel and disks of the machine, and nothing that it does not know', () => {
  const volume = '/var/lib/kubelet/pods/0/volumes/kubernetes.io~csi/data/mount';
  const cases: [string, string, boolean][] = [
    ['ext4', '/', true],
    ['xfs', '/var', true],
    ['proc', '/proc', true],
    ['tmpfs', '/var/lib/kubelet/pods/0/volumes/kubernetes.io~secret/token', true],
    // Its disk may lie on another machine.
    ['xfs', volume, false],
    ['nfs4', volume, false],
    ['nfs', '/mnt', false],
    ['cifs', '/mnt', false],
    ['fuse.sshfs', '/mnt', false],
    ['fuseblk', '/mnt', false],
    ['autofs', '/net', false],
    ['9p', '/mnt', false],
    ['ceph', '/mnt', false],
    ['tomorrow', '/mnt', false],
  ];
  for (const [type, mountPoint, expected] of cases) {
    assert.equal(isLocalMount({ type, mountPoint }), expected, `${type} at ${mountPoint}`);
  }
});
