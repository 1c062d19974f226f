import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { type ClientConnection, frameEngine } from '@nodewright/h2';
import { answerHead, openRecordedCall } from '@nodewright/h2/conformance';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import type { GatewayIdentity, GatewayKeyPair } from '../domain/gateway-identity.ts';
import type { Gateway } from './gateway.ts';
import { clientLimits } from './http2-limits.ts';
import { openGateway } from './open-gateway.ts';
import { serveCall } from './serve-call.ts';
import { openGatewayRig, RigBackend } from './testing/gateway-rig.ts';

const host = '127.0.0.1';

async function createIdentity(): Promise<GatewayKeyPair> {
  const notBefore = new Date();
  const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
  const { certificate, key } = await issueCertificate({
    issuer: ca,
    subject: { commonName: 'node01' },
    ipAddresses: [host],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 1,
  });
  return { certificate, key: tlsPrivateKey(key) };
}

/** Opens a gateway in maintenance, which asks no client for a certificate, without a machined behind it. */
async function startGateway(scope: AsyncDisposableStack) {
  const lines: string[] = [];
  let gateway: Gateway | undefined;
  const { follow } = openGateway(
    {
      engine: frameEngine,
      telemetry: noTelemetry,
      log: createLogger({
        name: 'apid',
        telemetry: noTelemetry,
        destination: { write: (line) => lines.push(line) },
      }),
      dialMachined: () => Promise.reject(new Error('no machined here')),
      dialNode: () => Promise.reject(new Error('no other node')),
      onListening: () => {},
      drainTimeoutMs: 1000,
      onCall(seen, ...call) {
        gateway = seen;
        serveCall(seen, ...call);
      },
    },
    scope,
  );
  const inMaintenance: GatewayIdentity = {
    listen: { host, port: 0 },
    ...{ nodeRoutingDisabled: true, readonlyRoleMode: true, skipVerifyingClientCert: true },
    waitsFor: undefined,
    ...{ server: await createIdentity(), client: undefined, acceptedCas: [], hostname: 'node01' },
    ...{ localTargets: new Set<string>(), members: new Map(), sharedNames: new Map() },
  };
  await follow(inMaintenance);
  const { port } = lines.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'gateway listens');
  return {
    async dial(): Promise<ClientConnection> {
      const socket = connect({ host, port, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
      await once(socket, 'secureConnect');
      return frameEngine.connect(socket, clientLimits);
    },
    /** The parts that the last call saw. */
    seen: () => gateway ?? assert.fail('no call arrived'),
  };
}

/** Makes calls with the same headers, whose plan the gateway keeps. They fail, because there is no machined. */
async function callAgain(connection: ClientConnection): Promise<void> {
  for (let count = 0; count < 3; count += 1) {
    const { call, recorder } = openRecordedCall(connection);
    call.end();
    await recorder.done;
  }
}

test('a gateway keeps no plan of a connection that is closed', async () => {
  await using scope = new AsyncDisposableStack();
  const { dial, seen } = await startGateway(scope);
  const clients = await Promise.all([dial(), dial(), dial()]);
  for (const client of clients) await callAgain(client);
  const { plans } = seen();
  assert.equal(plans.size, 3);
  const [first, ...others] = clients;
  first?.drain();
  await eventually(() => plans.size === 2, { what: 'plan less' });
  for (const client of others) client.destroy();
  await eventually(() => plans.size === 0, { what: 'gateway without plans' });
});

test('a gateway looks after a member in back-off by whatever name it was called, and after nothing else', async () => {
  await using scope = new AsyncDisposableStack();
  const dials = new Map<string, number>();
  const rig = await openGatewayRig(
    {
      dialMachined: () => Promise.reject(new Error('no machined here')),
      dialNode(_identity, node) {
        dials.set(node, (dials.get(node) ?? 0) + 1);
        return Promise.reject(new Error('connect ECONNREFUSED'));
      },
    },
    scope,
  );
  const client = await rig.connect('os:reader');
  await rig.follow({
    members: new Map([
      ['node02', ['10.5.0.3', 'fd00::3']],
      ['node03', ['10.5.0.4']],
    ]),
  });
  for (const node of ['10.5.0.99', 'fd00::3', 'NODE03']) {
    const { call, recorder } = openRecordedCall(client, ['node', node]);
    call.end();
    await recorder.done;
  }
  // No further call causes these dials.
  await eventually(() => ['fd00::3', 'NODE03'].every((node) => (dials.get(node) ?? 0) > 1), {
    what: 'dials of both members',
  });
  assert.equal(dials.get('10.5.0.99'), 1);
});

test('a gateway opens new connections only to the nodes that changed, and cuts no call', async () => {
  await using scope = new AsyncDisposableStack();
  const ended: string[] = [];
  const backends = new Map(
    ['machined', 'node02', 'node03'].map((name) => {
      // Each call stays open.
      const backend = new RigBackend((call) => {
        call.receive({
          ...{ requestData() {}, requestEnded() {}, answerDrained() {} },
          cancelled: () => ended.push(name),
        });
        call.respond(answerHead);
      });
      return [name, backend];
    }),
  );
  const dial = (name: string) => backends.get(name)?.dial() ?? assert.fail(`nobody dials ${name}`);
  const rig = await openGatewayRig(
    { dialMachined: () => dial('machined'), dialNode: (_identity, node) => dial(node) },
    scope,
  );
  const client = await rig.connect('os:reader');
  /** Opens a call to each backend, and counts the connections that were made so far. */
  const callEach = async () => {
    for (const name of backends.keys()) {
      const { call, recorder } = openRecordedCall(client, name === 'machined' ? [] : ['node', name]);
      call.end();
      await recorder.headers;
    }
    return [...backends.values()].map(({ connections }) => connections.length);
  };
  const members = new Map([['node02', ['10.5.0.3']]]);
  await rig.follow({ members });
  assert.deepEqual(await callEach(), [1, 1, 1]);

  const joined = new Map([...members, ['node04', ['10.5.0.5']]]);
  await rig.follow({ members: joined });
  assert.deepEqual(await callEach(), [1, 1, 1]);
  const moved = new Map([...joined, ['node02', ['10.5.0.4']]]);
  await rig.follow({ members: moved });
  assert.deepEqual(await callEach(), [1, 2, 1]);
  await rig.follow({ members: moved, client: await rig.issueClient() });
  assert.deepEqual(await callEach(), [1, 3, 2]);
  assert.deepEqual(ended, []);
});
