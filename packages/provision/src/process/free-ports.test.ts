import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { describeTakenPorts } from './free-ports.ts';

test('describeTakenPorts() names the process that has a port, and leaves out free ports', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const need = { protocol: 'tcp', address: '127.0.0.1', port } as const;
  const whileHeld = await describeTakenPorts([need, { ...need, address: '127.0.0.2' }]);
  await new Promise((resolve) => server.close(resolve));
  const command = readFileSync('/proc/self/comm', 'utf8').trim();
  assert.deepEqual(
    [whileHeld, await describeTakenPorts([need])],
    [[`127.0.0.1:${port} is held by pid ${process.pid} (${command})`], []],
  );
});

test('describeTakenPorts() says when the listener uses all addresses', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen({ host: '0.0.0.0', port: 0 }, resolve));
  const { port } = server.address() as AddressInfo;
  const [text] = await describeTakenPorts([{ protocol: 'tcp', address: '127.3.4.5', port }]);
  await new Promise((resolve) => server.close(resolve));
  assert.match(text ?? '', /^127\.3\.4\.5:\d+ is held by pid \d+ \(.+\), which listens on all addresses$/);
});
