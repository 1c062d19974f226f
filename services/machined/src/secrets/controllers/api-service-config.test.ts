import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo } from '@nodewright/state';
import { apiCertificates, apiServiceConfigs, maintenanceServiceRequests } from '@nodewright/state/kinds';
import { listenAddress, newAuthority, openSecretsRig } from './testing/secrets-rig.ts';

const request = pointerTo(maintenanceServiceRequests, 'maintenance');
const ca = await newAuthority();

test('leaving maintenance closes its listener before another opens, and releases the request only after that', async () => {
  await using node = await openSecretsRig({ isMaintenance: true });
  const held = await node.state.get(request);
  assert.deepEqual(held.metadata.finalizers, ['runtime.APIServiceConfigController']);

  const told: string[] = [];
  using watch = await node.state.watchKind(apiServiceConfigs);
  const following = (async () => {
    for await (const events of watch) {
      for (const event of events) {
        if (event.kind !== 'created' && event.kind !== 'destroyed') continue;
        const { skipVerifyingClientCert } = event.resource.spec;
        told.push(`${event.kind} ${skipVerifyingClientCert ? 'maintenance' : 'normal'}`);
        if (told.length === 2) return;
      }
    }
  })();
  assert.equal(await node.state.teardown(request), false);
  await node.runtime.settled();
  assert.deepEqual((await node.state.get(request)).metadata.finalizers, []);
  assert.equal(await node.spec(apiServiceConfigs, 'apid'), undefined);
  await node.state.destroy(request);

  await node.configure({ ca });
  await following;
  assert.deepEqual(told, ['destroyed maintenance', 'created normal']);
  assert.equal((await node.spec(apiCertificates, 'api'))?.skipVerifyingClientCert, false);
});

test('a maintenance request on a configured node replaces its API, and restores it afterwards', async () => {
  await using node = await openSecretsRig();
  await node.configure({ ca });
  const flags = async () => {
    await node.runtime.settled();
    return (await node.spec(apiServiceConfigs, 'apid'))?.readonlyRoleMode;
  };
  const seen = [await flags()];
  await node.put(maintenanceServiceRequests, 'maintenance', {});
  seen.push(await flags());
  await node.state.teardown(request);
  seen.push(await flags());
  assert.deepEqual(seen, [false, true, false]);
  assert.equal((await node.spec(apiServiceConfigs, 'apid'))?.listenAddress, listenAddress);
});
