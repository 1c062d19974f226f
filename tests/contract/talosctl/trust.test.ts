// Which servers and clients are trusted, and what a rejected user reads. None of these calls may reach a
// handler.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import {
  type CertificateAndKey,
  generateCertificateAuthority,
  issueCertificate,
  parseCertificate,
} from '@nodewright/pki';
import { FakeCluster } from './fake-cluster.ts';
import { FakeGateway } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';
import { Talosctl, type TalosctlResult } from './run-talosctl.ts';

const day = 86_400_000;
const scope = new AsyncDisposableStack();
let talosctl: Talosctl;
let cluster: FakeCluster;
let gateway: FakeGateway;
let other: CertificateAndKey;

before(async () => {
  talosctl = scope.use(await Talosctl.open());
  cluster = scope.use(await FakeCluster.create());
  gateway = await cluster.gateway(healthyCluster);
  other = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: new Date(Date.now() - day),
  });
});
after(() => scope.disposeAsync());

async function connect(
  client: CertificateAndKey | 'none',
  endpoint = gateway.address,
): Promise<TalosctlResult> {
  const config = await cluster.talosconfig({ endpoints: [endpoint], client }, `config-${Math.random()}`);
  return talosctl.run(['-n', 'node01', 'memory'], { environment: { TALOSCONFIG: config } });
}

/** talosctl's error message about the endpoint. */
function reason({ stderr, exitCode }: TalosctlResult): string {
  assert.equal(exitCode, 1);
  const text =
    /^(?:warning: the certificate .*\n)?error from node node01: rpc error: code = Unavailable desc = endpoint \S+: (.*)\n(?:(?:"talosctl |start a cluster of this machine again ).*\n)?$/.exec(
      stderr,
    );
  assert.notEqual(text, null, stderr);
  return text?.[1] as string;
}

test("a rejected client certificate is explained with the server's own reason", async () => {
  const rows: [CertificateAndKey | 'none', RegExp][] = [
    ['none', /^it refused the connection: there is no client certificate$/],
    [
      await cluster.clientCertificate({ issuer: other }),
      /^it refused the connection: the client certificate was not issued by the CA of the context$/,
    ],
    [
      await cluster.clientCertificate({ notBefore: new Date(Date.now() - 2 * day), lifetimeHours: 24 }),
      /^it refused the connection: the client certificate expired at \d{4}-/,
    ],
    [
      await cluster.clientCertificate({ notBefore: new Date(Date.now() + day) }),
      /^it refused the connection: the client certificate is not valid before \d{4}-/,
    ],
    [
      await cluster.clientCertificate({ extendedKeyUsage: ['serverAuth'] }),
      /^it refused the connection: the client certificate is not for client authentication alone$/,
    ],
  ];
  for (const [client, expected] of rows) assert.match(reason(await connect(client)), expected);
  assert.deepEqual(gateway.calls, []);
});

test('a server that closes after the handshake without a visible reason is reported as such', async () => {
  const identity = await cluster.serverCertificate();
  await using closing = await FakeGateway.listen({ identity, closeAfterHandshake: true });
  const good = await cluster.clientCertificate();
  const doubtful = await cluster.clientCertificate({ extendedKeyUsage: ['clientAuth', 'serverAuth'] });
  assert.equal(
    reason(await connect(good, closing.address)),
    'it closed the connection after it got our certificate',
  );
  assert.match(reason(await connect(doubtful, closing.address)), /not for client authentication alone$/);
});

test('a server with the certificate of another host, or of another CA, is rejected', async () => {
  const client = await cluster.clientCertificate();
  await using elsewhere = await FakeGateway.listen({
    identity: await cluster.serverCertificate(['127.0.0.9']),
    handlers: healthyCluster,
  });
  await using foreign = await FakeGateway.listen({
    identity: await issueCertificate({
      issuer: other,
      subject: {},
      ipAddresses: ['127.0.0.1'],
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['serverAuth'],
      notBefore: new Date(Date.now() - 1000),
      lifetimeHours: 1,
    }),
    handlers: healthyCluster,
  });
  const reasons = await Promise.all(
    [elsewhere, foreign].map(async ({ address }) => reason(await connect(client, address))),
  );
  assert.match(
    reasons[0] as string,
    /^the server's certificate is for another host \(.*127\.0\.0\.1.*127\.0\.0\.9/,
  );
  assert.equal(reasons[1], "the server's certificate is not issued by the CA of this context");
  assert.deepEqual(elsewhere.calls, []);
  // Whether it is a node in maintenance is asked without a certificate, and with a request that says nothing.
  assert.deepEqual(
    foreign.calls.map(({ path }) => path),
    ['/storage.StorageService/Disks'],
  );
});

test('an endpoint that does not speak TLS is distinguished from one where no server listens', async () => {
  const client = await cluster.clientCertificate();
  const plain = createServer((socket) =>
    socket.on('error', () => {}).end('HTTP/1.1 400 Bad Request\r\n\r\n'),
  );
  await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
  scope.defer(() => void plain.close());
  const { port } = plain.address() as { port: number };
  assert.equal(reason(await connect(client, `127.0.0.1:${port}`)), 'it does not speak TLS');
  assert.equal(reason(await connect(client, '127.0.0.1:1')), 'connection refused');
});

test('a context with an invalid or missing key is reported before any connection', async () => {
  const pair = await cluster.clientCertificate();
  const stranger = await cluster.clientCertificate();
  const config = await cluster.talosconfig(
    { endpoints: [gateway.address], client: { ...pair, key: 'no key' } },
    'no-key',
  );
  const mixed = await cluster.talosconfig(
    { endpoints: [gateway.address], client: { certificate: pair.certificate, key: stranger.key } },
    'mixed',
  );
  const [broken, mismatch] = await Promise.all(
    [config, mixed].map((path) =>
      talosctl.run(['-n', 'a', 'memory'], { environment: { TALOSCONFIG: path } }),
    ),
  );
  assert.equal(broken?.stderr, 'error: key of the context is not the base64 of PEM text\n');
  assert.equal(mismatch?.stderr, 'error: the key of the context does not belong to its certificate\n');
  assert.deepEqual([broken?.exitCode, mismatch?.exitCode], [1, 1]);
});

test('-i calls a node directly without a certificate, and with fingerprints trusts only those', async () => {
  const identity = await issueCertificate({
    issuer: other,
    subject: {},
    dnsNames: ['maintenance'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: new Date(Date.now() - 1000),
    lifetimeHours: 1,
  });
  await using node = await FakeGateway.listen({ identity, handlers: healthyCluster });
  const { publicKeyFingerprint } = parseCertificate(identity.certificate);
  const wrong = Buffer.alloc(32).toString('base64');
  const run = (...words: string[]) => talosctl.run(['memory', '-i', '-n', node.address, ...words]);
  const configured = await talosctl.run(['memory', '-i', '-n', gateway.address]);
  assert.match(configured.stderr, /: it asks for a client certificate: it is not in maintenance mode\n$/);
  const [open, pinned, refused] = await Promise.all([
    run(),
    run('--cert-fingerprint', `${wrong},${publicKeyFingerprint}`),
    run('--cert-fingerprint', wrong),
  ]);
  assert.deepEqual([open.exitCode, pinned.exitCode, refused.exitCode], [0, 0, 1]);
  assert.match(
    refused.stderr,
    new RegExp(
      `its certificate has the fingerprint ${publicKeyFingerprint.replace(/[+/]/g, '\\$&')}, which is not among those allowed\n$`,
    ),
  );
  assert.deepEqual(
    node.calls.map(({ node }) => node),
    [undefined, undefined],
  );
});

test('--cert-fingerprint presents the client certificate to a server with that key, whoever has signed it', async () => {
  const identity = await issueCertificate({
    ...{ issuer: other, subject: {}, dnsNames: ['another-host'], keyUsage: ['digitalSignature'] },
    ...{ extendedKeyUsage: ['serverAuth'], notBefore: new Date(Date.now() - 1000), lifetimeHours: 1 },
  });
  const { certificate: clientCa } = cluster.ca;
  await using worker = await FakeGateway.listen({ identity, clientCa, handlers: healthyCluster });
  const { publicKeyFingerprint } = parseCertificate(identity.certificate);
  const wrong = Buffer.alloc(32).toString('base64');
  const client = await cluster.clientCertificate();
  const config = await cluster.talosconfig({ endpoints: [gateway.address], client }, 'pinned');
  const anonymous = await cluster.talosconfig({ endpoints: [gateway.address], client: 'none' }, 'unpinned');
  const run = (talosconfig: string, ...words: string[]) =>
    talosctl.run(['memory', ...words], { environment: { TALOSCONFIG: talosconfig } });
  const before = gateway.calls.length;

  const direct = await run(config, '-n', worker.address, '--cert-fingerprint', publicKeyFingerprint);
  assert.equal(direct.exitCode, 0, direct.stderr);
  const via = ['-e', worker.address, '-n', '10.5.0.9'];
  const through = await run(config, ...via, '--cert-fingerprint', `${wrong},${publicKeyFingerprint}`);
  assert.equal(through.exitCode, 0, through.stderr);
  assert.deepEqual(
    worker.calls.map(({ node }) => node),
    [undefined, '10.5.0.9'],
  );

  const unknown = await run(config, '-n', worker.address, '--cert-fingerprint', wrong);
  assert.match(unknown.stderr, /has the fingerprint \S+, which is not among those allowed/);
  const stranger = await run(anonymous, '-n', worker.address, '--cert-fingerprint', publicKeyFingerprint);
  assert.match(stranger.stderr, /it refused the connection: there is no client certificate/);
  const unpinned = await run(config, '-e', worker.address, '-n', worker.address);
  assert.match(unpinned.stderr, /the server's certificate is not issued by the CA of this context/);
  const nobody = await run(config, '--cert-fingerprint', wrong);
  assert.match(
    nobody.stderr,
    /flag --cert-fingerprint needs --nodes, which it dials directly, or --endpoints/,
  );
  assert.deepEqual(
    [unknown, stranger, unpinned, nobody].map(({ exitCode }) => exitCode !== 0),
    [true, true, true, true],
  );
  assert.deepEqual([worker.calls.length, gateway.calls.length], [2, before]);
});
