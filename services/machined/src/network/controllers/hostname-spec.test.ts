import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { HostName } from '@nodewright/node-files';
import { pointerTo, putResource } from '@nodewright/state';
import { hostnameSpecs, hostnameStatuses } from '@nodewright/state/kinds';
import { createHostnameSpecController } from './hostname-spec.ts';

test('a hostname is published once the kernel has it', async () => {
  const set: HostName[] = [];
  let isWilling = false;
  const effect = {
    async set(name: HostName) {
      if (!isWilling) throw new Fault('permission-denied', 'sethostname: EPERM');
      set.push(name);
    },
  };
  await using node = openTestRuntime({ controllers: [createHostnameSpecController(effect)] });
  const name = { hostname: 'a', domainname: 'lab' };
  await putResource(node.state, {
    ...pointerTo(hostnameSpecs, 'hostname'),
    spec: { ...name, layer: 'configuration' },
  });
  await node.settled();
  assert.deepEqual(await node.state.list(hostnameStatuses), []);
  isWilling = true;
  await node.advance(1000);
  assert.deepEqual(set, [name]);
  assert.deepEqual((await node.state.get(pointerTo(hostnameStatuses, 'hostname'))).spec, name);
});
