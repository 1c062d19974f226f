// Sends garbage to every listening socket of a node for a bounded time, by default a minute each
// (FUZZ_SECONDS). Afterwards the same processes must still serve. A failure prints the seed; FUZZ_SEED sends
// the same bytes again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { ports } from '@nodewright/contract';
import { MachineServiceDefinition } from '@nodewright/contract/gen/machine/machine.ts';
import { openUnixPath } from '@nodewright/files';
import { tlsPrivateKey } from '@nodewright/pki';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { isServing, type LoneNode, startLoneNode } from '@nodewright/testkit';
import { brokenHttp2, brokenTls } from './garbage.ts';
import { chosenSeed, SeededRandom } from './seeded-random.ts';
import { storm, throwAtSocket, throwInsideTls } from './storm.ts';

const seconds = Number(process.env.FUZZ_SECONDS ?? 60);
/** How much memory a daemon may keep afterwards, in bytes. */
const memoryLimit = 220e6;

/** The first bytes of a Node.js client. */
async function recordClientHello(): Promise<Buffer> {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const server = createServer((socket) => socket.once('data', (bytes: Buffer) => resolve(bytes)));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  const client = connectTls({ host: '127.0.0.1', port, ALPNProtocols: ['h2'] }).on('error', () => {});
  const hello = await promise;
  client.destroy();
  server.close();
  return hello;
}

/** The processes of a node: machined and the running services that it lists. */
async function servicePids(node: LoneNode): Promise<Record<string, number>> {
  using channel = openUnixChannel(node.sockets.machined);
  const client = createRpcClient(MachineServiceDefinition, channel, {
    telemetry: noTelemetry,
    metadata: { 'talos-role': 'os:reader' },
  });
  const { messages } = await client.processes({});
  const ofNode = (messages[0]?.processes ?? []).filter(({ args }) => args.includes(node.root));
  const pids = ['machined', 'apid', 'trustd'].map((name) => [
    name,
    ofNode.find(({ args }) => args.includes(`${name}.cjs`) || args.includes(`services/${name}/`))?.pid ?? 0,
  ]);
  return Object.fromEntries(pids);
}

const residentBytes = (pid: number) =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

async function survives(
  name: string,
  attack: (node: LoneNode, random: SeededRandom) => () => Promise<void>,
): Promise<void> {
  const random = new SeededRandom(chosenSeed());
  await using node = await startLoneNode();
  const before = await servicePids(node);
  try {
    const count = await storm(seconds, attack(node, random));
    assert.ok(count > seconds, `only ${count} attempts in ${seconds} s`);
    assert.deepEqual(await servicePids(node), before, 'a daemon was started anew');
    const answers = await Promise.all(Object.values(node.sockets).map(isServing));
    assert.deepEqual(answers, [true, true, true], 'a daemon no longer serves');
    for (const [daemon, pid] of Object.entries(before)) {
      assert.ok(
        residentBytes(pid) < memoryLimit,
        `${daemon} holds ${residentBytes(pid)} bytes after ${count} attempts`,
      );
    }
  } catch (error) {
    throw new Error(`${name}: FUZZ_SEED=${random.seed}`, { cause: error });
  }
}

test('apid survives garbage on its TLS port', async () => {
  const hello = await recordClientHello();
  await survives('apid', (node, random) => () => {
    return throwAtSocket({ host: node.address, port: ports.apid }, brokenTls(random, hello));
  });
});

test('apid survives broken HTTP/2 from a client with a valid certificate', async () => {
  await survives('apid', (node, random) => {
    const client = node.issueClient('os:reader');
    return async () => {
      const { certificate, key } = await client;
      const target = {
        host: node.address,
        port: ports.apid,
        ALPNProtocols: ['h2'],
        cert: certificate,
        key: tlsPrivateKey(key),
        ca: node.ca.certificate,
      };
      await throwInsideTls({ ...target, checkServerIdentity: () => undefined }, brokenHttp2(random));
    };
  });
});

test('trustd survives broken HTTP/2', async () => {
  await survives('trustd', (node, random) => () => {
    const target = { host: node.address, port: ports.trustd, ALPNProtocols: ['h2'], ca: node.ca.certificate };
    return throwInsideTls({ ...target, checkServerIdentity: () => undefined }, brokenHttp2(random));
  });
});

test('machined survives garbage on its unix socket', async () => {
  await survives('machined', (node, random) => {
    const socket = openUnixPath(node.sockets.machined);
    return () => throwAtSocket({ path: socket.path }, brokenHttp2(random));
  });
});
