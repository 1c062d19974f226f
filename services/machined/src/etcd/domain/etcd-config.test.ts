import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etcdConfigFrom } from './etcd-config.ts';

const spec = (listenSubnets: readonly string[]) =>
  etcdConfigFrom(
    {
      machineType: 'controlplane',
      etcd: {
        ca: { crt: Buffer.from(''), key: Buffer.from('') },
        ...{ image: 'etcd', extraArgs: {}, advertisedSubnets: ['10.0.0.0/24'], listenSubnets },
      },
    } as never,
    ['10.0.0.99'],
  );

test('etcd never advertises a virtual address, and listens on it only where it listens everywhere', () => {
  assert.deepEqual(spec([])?.advertiseExcludeSubnets, ['10.0.0.99']);
  assert.deepEqual(spec([])?.listenExcludeSubnets, []);
  assert.deepEqual(spec(['10.0.0.0/24', '!10.0.0.7/32'])?.listenExcludeSubnets, ['10.0.0.7/32', '10.0.0.99']);
});
