import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '@nodewright/fault';
import { LogStore } from '@nodewright/services/logs';
import { kmsgLogConfigs, networkStatuses } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { type LogsControllersInit, logsControllers } from './logs-controllers.ts';

function openNode(init: Partial<LogsControllersInit> = {}) {
  const logs = new LogStore();
  const rig = openControllerRig(
    logsControllers({ store: logs, cmdline: '', now: Date.now, bootTimeMs: () => 0, ...init }),
  );
  return { ...rig, logs };
}

test("the destinations of the kernel's log are a resource, each destination once", async () => {
  await using node = openNode({ cmdline: 'quiet talos.logging.kernel=udp://127.0.0.1:2' });
  await node.configure(`apiVersion: v1alpha1
kind: KmsgLogConfig
name: one
url: tcp://127.0.0.1:1
---
apiVersion: v1alpha1
kind: KmsgLogConfig
name: two
url: tcp://127.0.0.1:1
`);
  const destinations = ['udp://127.0.0.1:2', 'tcp://127.0.0.1:1'];
  assert.deepEqual(await node.specs(kmsgLogConfigs), [['kmsg-log', { destinations }]]);
  await node.configure('version: v1alpha1\nmachine: {}\n');
  assert.deepEqual(await node.specs(kmsgLogConfigs), [['kmsg-log', { destinations: ['udp://127.0.0.1:2'] }]]);
});

test('logs are sent to the configured destinations as soon as the configuration changes', async () => {
  const received: string[] = [];
  const server = createServer((socket) => {
    socket.on('data', (chunk) => {
      for (const line of chunk.toString().trimEnd().split('\n')) {
        const { msg, site } = JSON.parse(line);
        received.push(`${site}: ${msg}`);
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const until = (count: number) =>
    eventually(() => received.length >= count, { what: `${count} lines`, explain: () => received.join() });
  const destination = (site: string) => `version: v1alpha1
machine:
  logging:
    destinations:
      - { endpoint: "tcp://127.0.0.1:${port}", format: json_lines, extraTags: { site: ${site} } }
`;
  {
    await using node = openNode();
    const log = node.logs.open('apid');
    log.write('before\n');
    await node.configure(destination('a'));
    await until(1);
    await node.configure(destination('b'));
    log.write('after\n');
    await until(2);
    await node.configure('version: v1alpha1\nmachine: {}\n');
    log.write('kept\n');
  }
  server.close();
  assert.deepEqual(received, ['a: before', 'b: after']);
});

test("the kernel's log is sent to the configured destination once the node has an address", async () => {
  const socket = createSocket('udp4');
  const received: unknown[] = [];
  socket.on('message', (message) => received.push(JSON.parse(message.toString())));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const record = { priority: 4, facility: 0, sequence: 5n, sinceBootUs: 1n, text: Buffer.from('hot\n') };
  const left = [record];
  const openLog = () => ({
    next: () => left.splice(0, 1).map((each) => ({ kind: 'record', record: each }) as const)[0],
    [Symbol.dispose]() {},
  });
  await using node = openNode({ openKernelLog: openLog });
  const url = `udp://127.0.0.1:${socket.address().port}`;
  await node.configure(`apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: one\nurl: ${url}\n`);
  const ready = { addressReady: true, connectivityReady: false, hostnameReady: false, etcFilesReady: false };
  await node.put(networkStatuses, 'status', { ...ready, addressReady: false });
  await sleep(20);
  assert.equal(left.length, 1);
  await node.put(networkStatuses, 'status', ready);
  await eventually(() => received.length > 0, { what: 'the record' });
  socket.close();
  const wanted = { msg: 'hot', 'talos-level': 'warn', 'talos-time': '1970-01-01T00:00:00.000001Z' };
  assert.deepEqual(received, [{ facility: 'kern', seq: 5, clock: 1, priority: 'warning', ...wanted }]);
});

test("a kernel's log that cannot be read is logged once for each configuration and does not stop other work", async () => {
  await using node = openNode({
    openKernelLog: () => {
      throw new Fault('permission-denied', 'error opening /dev/kmsg reader: EPERM');
    },
  });
  await node.put(networkStatuses, 'status', {
    ...{ addressReady: true, connectivityReady: true, hostnameReady: true, etcFilesReady: true },
  });
  await node.configure('apiVersion: v1alpha1\nkind: KmsgLogConfig\nname: one\nurl: tcp://127.0.0.1:1\n');
  await node.runtime.advance(600_000);
  const errors = node.runtime.logged.filter(({ level }) => level === 'error').map(({ msg }) => msg);
  assert.deepEqual(errors, ["the kernel's log cannot be delivered"]);
});
