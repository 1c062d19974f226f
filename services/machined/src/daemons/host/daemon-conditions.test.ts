import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { waitingText } from '@nodewright/services';
import { MemoryState, type Pointer, pointerTo, putResource } from '@nodewright/state';
import {
  apiCertificates,
  apiServiceConfigs,
  hardwareAddresses,
  networkStatuses,
  services,
  timeStatuses,
  trustdCertificates,
} from '@nodewright/state/kinds';
import type { ChildDaemon } from '../domain/daemon-command.ts';
import { openDaemonConditions } from './daemon-conditions.ts';

async function awaited(daemon: ChildDaemon, hasUdevd = false) {
  const scope = new AsyncDisposableStack();
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8) });
  const timers = new FakeTimers();
  const conditions = await openDaemonConditions(daemon, state, hasUdevd, scope, timers);
  return {
    ...{ conditions, timers },
    async put<S>(pointer: Pointer<S>, spec: S) {
      await putResource(state, { ...pointer, spec });
      await turn();
    },
    text: () => waitingText(conditions),
    [Symbol.asyncDispose]: () => scope.disposeAsync(),
  };
}

const certificate = { crt: '', key: '' };

test('apid waits for its certificates and its configuration', async () => {
  await using apid = await awaited('apid');
  assert.equal(apid.text(), 'Waiting for api certificates, config to be ready');
  const listenAddress = '127.0.0.1:50000';
  const config = {
    listenAddress,
    nodeRoutingDisabled: false,
    readonlyRoleMode: false,
    skipVerifyingClientCert: false,
  };
  await apid.put(pointerTo(apiServiceConfigs, 'apid'), config);
  assert.equal(apid.text(), 'Waiting for api certificates');
  await apid.put(pointerTo(apiCertificates, 'api'), {
    acceptedCAs: [],
    client: certificate,
    server: certificate,
    skipVerifyingClientCert: false,
  });
  assert.equal(apid.text(), undefined);
});

test('trustd waits for time synchronisation, for an address and a host name, and for its certificates', async () => {
  await using trustd = await awaited('trustd');
  const all = 'Waiting for time sync, network, trustd certificates';
  const time = { synced: false, epoch: 0, syncDisabled: false };
  const network = {
    addressReady: true,
    hostnameReady: false,
    connectivityReady: false,
    etcFilesReady: false,
  };
  await trustd.put(pointerTo(timeStatuses, 'node'), time);
  await trustd.put(pointerTo(networkStatuses, 'status'), network);
  assert.equal(trustd.text(), all);
  await trustd.put(pointerTo(timeStatuses, 'node'), { ...time, synced: true });
  assert.equal(trustd.text(), 'Waiting for network, trustd certificates');
  await trustd.put(pointerTo(networkStatuses, 'status'), { ...network, hostnameReady: true });
  assert.equal(trustd.text(), 'Waiting for trustd certificates');
  await trustd.put(pointerTo(trustdCertificates, 'trustd'), { acceptedCAs: [], server: certificate });
  assert.equal(trustd.text(), undefined);
});

test('a condition resolves when its resource is as wanted, and when its signal aborts', async () => {
  await using trustd = await awaited('trustd');
  const [timeSync, network] = trustd.conditions;
  assert.ok(timeSync !== undefined && network !== undefined);
  const stop = new AbortController();
  let synced = false;
  const met = timeSync.wait(stop.signal).then(() => {
    synced = true;
  });
  const given = network.wait(stop.signal);
  await trustd.put(pointerTo(timeStatuses, 'node'), { synced: false, epoch: 0, syncDisabled: false });
  assert.equal(synced, false);
  await trustd.put(pointerTo(timeStatuses, 'node'), { synced: true, epoch: 0, syncDisabled: false });
  await met;
  stop.abort();
  await given;
  assert.equal(network.isMet(), false);
});

test('udevd-bridge starts at once, but where it runs udevd after the API', async () => {
  await using elsewhere = await awaited('udevd-bridge');
  assert.deepEqual(elsewhere.conditions, []);
  await using machine = await awaited('udevd-bridge', true);
  assert.equal(machine.text(), 'Waiting for service "apid" to be "up"');
  await machine.put(pointerTo(services, 'apid'), { running: true, healthy: true, unknown: false });
  assert.equal(machine.text(), undefined);
});

/** After how many seconds udevd-bridge starts on a machine whose API does not, with what it has of a network from the beginning on. */
async function startsAfter(has: { readonly device: boolean; readonly address: boolean }): Promise<number> {
  await using machine = await awaited('udevd-bridge', true);
  const { timers } = machine;
  if (has.device)
    await machine.put(pointerTo(hardwareAddresses), { name: 'eth0', hardwareAddr: '02:00:00:00:00:02' });
  if (has.address)
    await machine.put(pointerTo(networkStatuses, 'status'), {
      ...{ addressReady: true, hostnameReady: true, connectivityReady: true, etcFilesReady: true },
    });
  const startMs = timers.now();
  let isStarted = false;
  const started = Promise.all(
    machine.conditions.map((condition) => condition.wait(new AbortController().signal)),
  ).then(() => {
    isStarted = true;
  });
  while (!isStarted) {
    timers.step(startMs + 60_000);
    for (let count = 0; count < 10; count += 1) await turn();
  }
  await started;
  return (timers.now() - startMs) / 1000;
}

test('udevd-bridge, which loads drivers, does not wait for the API of a machine without a network', async () => {
  assert.equal(await startsAfter({ device: false, address: false }), 2);
  assert.equal(await startsAfter({ device: true, address: false }), 8);
  assert.equal(await startsAfter({ device: true, address: true }), 30);
});
