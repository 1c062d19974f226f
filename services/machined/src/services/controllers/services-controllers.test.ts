import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangingServices } from '@nodewright/services/testing';
import { environments, services as serviceKind } from '@nodewright/state/kinds';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { servicesControllers } from './services-controllers.ts';

function openNode() {
  const services = new ChangingServices();
  return { ...openControllerRig(servicesControllers({ services })), services };
}

test('a service is a resource while it runs', async () => {
  await using node = openNode();
  node.services.set('apid', 'Preparing');
  node.services.set('machined', 'Running', true);
  await node.settled();
  assert.deepEqual(await node.specs(serviceKind), [
    ['machined', { running: true, healthy: true, unknown: false }],
  ]);
  node.services.set('apid', 'Running');
  await node.settled();
  assert.deepEqual((await node.specs(serviceKind))[0], [
    'apid',
    { running: true, healthy: false, unknown: true },
  ]);
  node.services.set('apid', 'Waiting');
  await node.settled();
  assert.deepEqual(
    (await node.specs(serviceKind)).map(([id]) => id),
    ['machined'],
  );
});

test('the environment variables of services are a resource without the passwords of proxies', async () => {
  await using node = openNode();
  await node.configure(`version: v1alpha1
machine:
  env: { b: "2", a: "1", http_proxy: "http://user:top@proxy:3128", HTTPS_PROXY: "user:top@proxy:3128" }
`);
  const variables = [
    'HTTPS_PROXY=user:REDACTED@proxy:3128',
    'a=1',
    'b=2',
    'http_proxy=http://user:REDACTED@proxy:3128',
  ];
  assert.deepEqual(await node.specs(environments), [['machined', { variables }]]);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.deepEqual(await node.specs(environments), []);
});
