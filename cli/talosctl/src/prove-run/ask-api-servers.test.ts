import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { askApiServers } from './ask-api-servers.ts';
import { filesOf } from './observe-processes.ts';

test('askApiServers() sends each request to all servers, about ten a second, and ends with the last answer', async () => {
  const asked: string[] = [];
  const asking = askApiServers(['a', 'b'], async (server) => {
    asked.push(server);
    await sleep(20);
    if (server === 'b') throw new Error('refused');
  });
  await sleep(650);
  assert.deepEqual([asking.answers('a'), asking.answers('b')], [true, false]);
  const samples = await asking.stop();
  assert.ok(samples.length >= 3 && samples.length <= 8, `${samples.length} samples`);
  assert.equal(asked.length, samples.length * 2);
  for (const { answersMs } of samples)
    assert.deepEqual(
      answersMs.map((ms) => ms !== undefined),
      [true, false],
    );
  const sent = asked.length;
  await sleep(250);
  assert.equal(asked.length, sent);
});

test('filesOf() finds configuration and keys of the node, and neither its data, its logs nor files of others', () => {
  const args = [
    '/tools/kube-apiserver',
    '--audit-log-path=/n/var/log/audit.log',
    '--client-ca-file=/n/system/secrets/ca.crt',
    '--tls-cert-file=/n/system/secrets/ca.crt',
    '--audit-policy-file=/n/system/config/audit.yaml',
    '--data-dir=/n/var/lib/etcd',
    '--other=/m/system/secrets/ca.crt',
    '--v=1',
  ];
  assert.deepEqual(filesOf(args, '/n'), ['/system/config/audit.yaml', '/system/secrets/ca.crt']);
});
