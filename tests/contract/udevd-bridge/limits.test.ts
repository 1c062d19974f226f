// What one client can make udevd-bridge hold, and that another one is served meanwhile.
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { Status } from 'nice-grpc';
import { startBridge } from './harness.ts';

test('inventories that nobody reads are limited, and their places come back', async () => {
  await using bridge = await startBridge();
  // 32 pages: a client receives 16 that nobody reads, and what is left does not fit into the connection. So a call stays open until it is read.
  const fact = 'x'.repeat(4000);
  for (let index = 0; index < 2000; index += 1) bridge.addDevice('fake', `d${index}`, { FACT: fact });
  bridge.addDevice('net', 'veth0', { IFINDEX: '7' });
  const stop = new AbortController();
  const connections = Array.from({ length: 4 }, () => bridge.connect());
  const streams = connections.map(({ client }) =>
    client.inventory({ subsystems: ['fake'] }, { signal: stop.signal })[Symbol.asyncIterator](),
  );
  await Promise.all(streams.map((stream) => stream.next()));
  await assert.rejects(Array.fromAsync(bridge.client.inventory({ subsystems: ['net'] })), {
    code: Status.RESOURCE_EXHAUSTED,
    details: '4 calls of Inventory are open already',
  });
  assert.equal((await bridge.client.status({})).receivesEvents, true);
  stop.abort();
  await Promise.allSettled(streams.map((stream) => stream.next()));
  await eventually(
    async () => (await Array.fromAsync(bridge.client.inventory({ subsystems: ['net'] }))).length === 1,
    { what: 'free places' },
  );
  for (const connection of connections) connection[Symbol.dispose]();
});

test('calls that wait for udevd are limited together, and the devices are served meanwhile', {
  skip: process.getuid?.() === 0 ? false : 'only root may run udevd',
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'udevd-'));
  const hold = join(folder, 'hold');
  const script = (name: string, text: string) => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
    return join(folder, name);
  };
  try {
    // They stand in for udevd, which must not run outside of a machine: what waits for it waits for a file to go away.
    const udevd = script('udevd', `touch ${folder}/up\nexec sleep 600`);
    const udevadm = script(
      'udevadm',
      `case "$*" in
*--ping) test -e ${folder}/up ;;
settle*) while [ -e ${hold} ]; do sleep 0.1; done ;;
esac`,
    );
    await using bridge = await startBridge({ args: ['--udevd', udevd, '--udevadm', udevadm] });
    const { client } = bridge;
    await eventually(async () => (await client.status({})).udevd?.isSettled === true, { what: 'udevd' });
    writeFileSync(hold, '');
    const waiting = Array.from({ length: 8 }, () => client.settle({ timeoutMs: 60_000 }));
    const refused = {
      code: Status.RESOURCE_EXHAUSTED,
      details: /^8 calls of Trigger, Settle and LoadModule /,
    };
    await eventually(
      () =>
        client.trigger({ action: 'change' }).then(
          () => false,
          (error: { code: Status }) => error.code === Status.RESOURCE_EXHAUSTED,
        ),
      { what: 'eight calls that wait' },
    );
    await assert.rejects(client.settle({ timeoutMs: 1000 }), refused);
    await assert.rejects(client.loadModule({ module: { $case: 'name', value: 'vxlan' } }), refused);
    assert.equal((await Array.fromAsync(client.inventory({}))).length, 1);
    rmSync(hold);
    assert.deepEqual(
      await Promise.all(waiting),
      Array.from({ length: 8 }, () => ({ isSettled: true })),
    );
    await client.trigger({ action: 'change' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
