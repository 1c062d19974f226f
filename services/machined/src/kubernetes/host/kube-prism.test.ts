import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, Socket } from 'node:net';
import { test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { systemTimers } from '@nodewright/async';
import { generateCertificateAuthority } from '@nodewright/pki';
import type { KubePrismEndpoint } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { checkEndpoint } from './check-endpoint.ts';
import { dialFirst } from './dial-first.ts';
import { KubePrism, type KubePrismInit, type KubePrismLimits } from './kube-prism.ts';

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
/** An address of this file's own, so that no other program takes a port that a test uses twice. */
const host = `127.${randomInt(150, 200)}.${randomInt(1, 255)}.${randomInt(2, 255)}`;
/** Short pauses, and times that a busy machine does not exceed: a test of such a time gives a shorter one. */
const quick: KubePrismLimits = {
  ...{
    connections: 4,
    firstByteMs: 60_000,
    dialMs: 60_000,
    redialMs: 20,
    staggerMs: 50,
    keepAliveMs: 30_000,
    restMs: 60_000,
  },
  ...{ checkPeriodMs: 50, failedPeriodMs: 50, checkTimeoutMs: 60_000 },
};

interface Backend extends AsyncDisposable {
  readonly endpoint: KubePrismEndpoint;
  readonly sockets: Set<Socket>;
}

/** A server that answers each client with its name, or accepts and says nothing. */
async function serve(name: string, { port = 0, isSilent = false } = {}): Promise<Backend> {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    if (isSilent) return;
    socket.write(`${name}\n`);
    socket.pipe(socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    endpoint: { host, port: (server.address() as AddressInfo).port },
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Asks a server for its name, as `checkEndpoint` asks for a handshake. */
async function checkName({ host: at, port }: KubePrismEndpoint, signal: AbortSignal): Promise<void> {
  const socket = connect({ host: at, port });
  try {
    await once(socket, 'data', { signal });
  } finally {
    socket.destroy();
  }
}

async function openBalancer(
  endpoints: readonly KubePrismEndpoint[],
  limits: Partial<KubePrismLimits> = {},
  dial: Partial<Pick<KubePrismInit, 'dial'>> = {},
) {
  const health: boolean[] = [];
  const balancer: KubePrism = new KubePrism({
    ...{ check: checkName, timers: systemTimers, log, limits: { ...quick, ...limits } },
    ...{ onHealth: () => health.push(balancer.isHealthy), ...dial },
  });
  const port = await balancer.listen({ host, port: 0 });
  balancer.use(endpoints);
  return {
    balancer,
    health,
    dial() {
      const client = connect({ host, port });
      client.on('error', () => {});
      return client.resume();
    },
    /** The name of the server that a new client gets; `undefined` when it is disconnected. */
    async name() {
      const client = connect({ host, port });
      client.on('error', () => {});
      client.write('x');
      const answer = await Promise.race([
        once(client, 'data').then(([data]) => String(data).split('\n')[0]),
        once(client, 'close').then(() => undefined),
      ]);
      client.destroy();
      return answer;
    },
    [Symbol.asyncDispose]: () => balancer[Symbol.asyncDispose](),
  };
}

const soon = (what: string) => ({ what });

test('KubePrism spreads connections over the servers that answer', async () => {
  await using a = await serve('a');
  await using b = await serve('b');
  await using silent = await serve('silent', { isSilent: true });
  await using prism = await openBalancer([a.endpoint, b.endpoint, silent.endpoint], {
    checkTimeoutMs: 200,
  });
  await eventually(async () => {
    const names = [await prism.name(), await prism.name(), await prism.name(), await prism.name()];
    return names.toSorted().join('') === 'aabb';
  }, soon('turns'));
  assert.equal(prism.balancer.isHealthy, true);
});

test('KubePrism goes round a server that refuses, and uses it again when it is back', async () => {
  await using a = await serve('a');
  const b = await serve('b');
  await using prism = await openBalancer([a.endpoint, b.endpoint]);
  await eventually(async () => (await prism.name()) === 'b', soon('the second server'));
  await b[Symbol.asyncDispose]();
  // Also before a check has noticed.
  for (let call = 0; call < 6; call += 1) assert.equal(await prism.name(), 'a');
  await using _again = await serve('b', { port: b.endpoint.port });
  await eventually(async () => (await prism.name()) === 'b', soon('the second server again'));
});

test('KubePrism disconnects clients while no server answers, and says so', async () => {
  const a = await serve('a');
  await using prism = await openBalancer([a.endpoint], { dialMs: 300 });
  await eventually(() => prism.balancer.isHealthy, soon('health'));
  await a[Symbol.asyncDispose]();
  assert.equal(await prism.name(), undefined);
  await eventually(() => !prism.balancer.isHealthy, soon('the end of health'));
  await using _again = await serve('a', { port: a.endpoint.port });
  await eventually(() => prism.balancer.isHealthy, soon('health again'));
  assert.deepEqual(prism.health, [true, false, true]);
  await eventually(async () => (await prism.name()) === 'a', soon('the server again'));
});

test('a client of KubePrism waits for the first server that accepts, and gets it', async () => {
  const closed = await serve('a');
  await closed[Symbol.asyncDispose]();
  await using prism = await openBalancer([closed.endpoint]);
  const name = prism.name();
  // Either a check or the connection for the client was refused.
  await eventually(() => prism.health.length > 0, soon('a refused connection'));
  await using _late = await serve('a', { port: closed.endpoint.port });
  assert.equal(await name, 'a');
});

test('many clients that wait make KubePrism try the servers no more often than one', async () => {
  let attempts = 0;
  const refuse = () => {
    attempts += 1;
    const socket = new Socket();
    setImmediate(() => socket.destroy(new Error('refused')));
    return socket;
  };
  const connections = 200;
  await using a = await serve('a');
  await using prism = await openBalancer([a.endpoint], { connections, redialMs: 50 }, { dial: refuse });
  const begunMs = performance.now();
  const clients = Array.from({ length: connections }, () => prism.dial());
  for (const client of clients) client.write('x');
  // Each client tries once, and then one try at a time is made for all of them.
  await eventually(() => attempts >= connections + 5, soon('a try for each client, and further ones'));
  const most = connections + (performance.now() - begunMs) / 50 + 1;
  assert.ok(attempts <= most, `${attempts} tries, at most ${most}`);
  for (const client of clients) client.destroy();
});

test('KubePrism ends the connections to a server that left its configuration, and no others', async () => {
  await using a = await serve('a');
  await using b = await serve('b');
  await using prism = await openBalancer([a.endpoint]);
  const toA = prism.dial();
  toA.write('x');
  await once(toA, 'data');
  prism.balancer.use([a.endpoint, b.endpoint]);
  const held: Socket[] = [];
  await eventually(() => {
    const client = prism.dial();
    client.write('x');
    held.push(client);
    return b.sockets.size > 0;
  }, soon('a client of the second server'));
  prism.balancer.use([b.endpoint]);
  await once(toA, 'close');
  assert.ok(b.sockets.size > 0);
  for (const client of held) client.destroy();
});

test('KubePrism refuses connections above its limit, and those that send nothing', async () => {
  await using a = await serve('a');
  await using prism = await openBalancer([a.endpoint]);
  await eventually(() => prism.balancer.isHealthy, soon('health'));
  const held = Array.from({ length: quick.connections }, () => prism.dial());
  for (const client of held) client.write('x');
  await Promise.all(held.map((client) => once(client, 'data')));
  assert.equal(await prism.name(), undefined);
  held[0]?.destroy();
  await eventually(async () => (await prism.name()) === 'a', soon('a free place'));
  for (const client of held) client.destroy();

  await using strict = await openBalancer([a.endpoint], { firstByteMs: 50 });
  const silent = strict.dial();
  await once(silent, 'close');
});

test('KubePrism passes large bodies both ways, and the end of one side to the other', async () => {
  await using a = await serve('');
  await using prism = await openBalancer([a.endpoint]);
  const client = prism.dial();
  const sent = Buffer.alloc(8 * 1024 * 1024, 'abc');
  const parts: Buffer[] = [];
  client.on('data', (part: Buffer) => parts.push(part));
  client.end(sent);
  await once(client, 'end');
  assert.ok(Buffer.concat(parts).subarray(1).equals(sent));
});

test('KubePrism says when its port is taken', async () => {
  await using a = await serve('a');
  const balancer = new KubePrism({ check: checkName, timers: systemTimers, log, onHealth: () => {} });
  await assert.rejects(balancer.listen(a.endpoint), { kind: 'unavailable', message: /EADDRINUSE/ });
  await balancer[Symbol.asyncDispose]();
});

test('dialFirst() does not wait for a server that does not answer', async () => {
  await using a = await serve('a');
  const failed: unknown[] = [];
  const dial = (endpoints: readonly KubePrismEndpoint[], timeoutMs: number) =>
    dialFirst({
      backends: endpoints.map((endpoint) => ({ endpoint })),
      ...{ timers: systemTimers, staggerMs: 20, timeoutMs, signal: new AbortController().signal },
      onFailure: ({ endpoint }) => failed.push(endpoint.port),
      // A socket that never connects, like one whose packets are lost.
      dial: ({ port }) => (port < 10 ? new Socket() : connect({ host, port })),
    });
  const found = await dial([{ host, port: 1 }, { host, port: 2 }, a.endpoint], 5_000);
  assert.equal(found?.backend.endpoint.port, a.endpoint.port);
  found?.socket.destroy();
  assert.deepEqual(failed, []);
  assert.equal(await dial([{ host, port: 1 }], 50), undefined);
  assert.deepEqual(failed, [1]);
  assert.equal(await dial([], 50), undefined);
});

test('checkEndpoint() succeeds after a TLS handshake, and accepts a certificate of any authority', async () => {
  // Not a whole set of secrets: its RSA key takes a busy machine more than a minute.
  const init = { algorithm: 'ecdsa-p256', notBefore: new Date() } as const;
  const { certificate, key } = await generateCertificateAuthority(init);
  const server = createTlsServer({ cert: certificate, key });
  server.listen(0, host);
  await once(server, 'listening');
  const never = new AbortController().signal;
  await checkEndpoint({ host, port: (server.address() as AddressInfo).port }, never);
  server.close();
  await using silent = await serve('silent', { isSilent: true });
  await assert.rejects(checkEndpoint(silent.endpoint, AbortSignal.timeout(50)), { name: 'TimeoutError' });
  await using plain = await serve('no TLS');
  await assert.rejects(checkEndpoint(plain.endpoint, never));
  await assert.rejects(checkEndpoint({ host, port: 1 }, never), { code: 'ECONNREFUSED' });
});
