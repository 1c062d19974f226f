// The client of a driver: where it connects to, and how long its certificate is used.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { ports } from '@nodewright/contract';
import { TurnServiceDefinition } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey, validityFrom } from '@nodewright/pki';
import { noTelemetry } from '@nodewright/telemetry';
import type { NodeView } from '../../base/resources/node-view.ts';
import { rolloutLimits } from '../domain/rollout-limits.ts';
import { openNodeCalls } from './node-calls.ts';

const validity = validityFrom(Date.now(), 24);
const issuer = await generateCertificateAuthority({
  ...{ algorithm: 'ed25519', organization: 'talos', notBefore: validity.notBefore },
});
const loopback = () => `127.${randomInt(1, 255)}.${randomInt(256)}.${randomInt(1, 255)}`;

/** An apid that ends each connection after it has seen the certificate. */
async function listen(address: string, seen: string[], scope: AsyncDisposableStack): Promise<void> {
  const { certificate, key } = await issueCertificate({
    ...{ issuer, subject: { commonName: 'node01' }, ipAddresses: [address], ...validity },
    ...{ keyUsage: ['digitalSignature'], extendedKeyUsage: ['serverAuth'] },
  });
  const server = createServer(
    {
      ...{ cert: certificate, key: tlsPrivateKey(key), ca: issuer.certificate, ALPNProtocols: ['h2'] },
      ...{ requestCert: true, rejectUnauthorized: true, minVersion: 'TLSv1.3' },
    },
    (socket) => {
      const peer = socket.getPeerCertificate();
      seen.push(`${address} ${peer.subject.O} ${peer.serialNumber}`);
      socket.destroy();
    },
  );
  server.listen(ports.apid, address);
  await once(server, 'listening');
  scope.defer(() => void server.close());
}

test('a driver calls through the address that its node has now, and replaces its certificate in time', async () => {
  await using scope = new AsyncDisposableStack();
  const [first, second] = [loopback(), loopback()];
  const seen: string[] = [];
  await listen(first, seen, scope);
  await listen(second, seen, scope);
  let address = first;
  let nowMs = Date.now();
  const view = { configuration: () => ({ issuingCA: issuer }), addresses: () => [address] };
  const calls = scope.use(
    openNodeCalls({
      view: view as unknown as Pick<NodeView, 'configuration' | 'addresses'>,
      ...{ now: () => nowMs, telemetry: noTelemetry },
    }),
  );
  /** The certificates that a call arrives with. */
  const arrivals = async () => {
    seen.length = 0;
    const turns = (await calls.node('10.0.0.1')).service(TurnServiceDefinition);
    await assert.rejects(turns.withdraw({}, { signal: AbortSignal.timeout(500) }), {
      kind: /^(unavailable|cancelled|deadline-exceeded)$/,
    });
    return new Set(seen);
  };
  const before = await arrivals();
  assert.match([...before].join(), new RegExp(`^${first} os:admin [0-9A-F]+$`));
  nowMs += rolloutLimits.certificateMs - 1;
  // The same client waits before it connects again.
  assert.deepEqual(
    [...(await arrivals())].filter((one) => !before.has(one)),
    [],
  );
  nowMs += 1;
  const renewed = await arrivals();
  assert.match([...renewed].join(), new RegExp(`^${first} os:admin [0-9A-F]+$`));
  assert.notDeepEqual(renewed, before);
  address = second;
  assert.match([...(await arrivals())].join(), new RegExp(`^${second} os:admin [0-9A-F]+$`));
});
