import assert from 'node:assert/strict';
import { test } from 'node:test';
import { reachableNameServers } from './name-servers.ts';

test('reachableNameServers() takes the servers of the first file that names one outside of the machine', () => {
  const stub = '# by systemd-resolved\nnameserver 127.0.0.53\noptions edns0\n';
  const real = 'search lan\n nameserver\t192.0.2.1\nnameserver fe80::1%eth0\nnameserver 198.51.100.7\n';
  assert.deepEqual(reachableNameServers([stub, real]), ['192.0.2.1', '198.51.100.7']);
  assert.deepEqual(reachableNameServers([real, 'nameserver 203.0.113.9\n']), ['192.0.2.1', '198.51.100.7']);
});

test('reachableNameServers() falls back to the servers that engines use without one', () => {
  for (const texts of [
    [],
    [''],
    ['nameserver 127.0.0.11\n'],
    ['#nameserver 192.0.2.1\n', 'nameserver ::1\n'],
  ])
    assert.deepEqual(reachableNameServers(texts), ['8.8.8.8', '8.8.4.4']);
});
