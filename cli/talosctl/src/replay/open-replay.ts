import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServerCredentials } from '@grpc/grpc-js';
import { encodeTalosconfig } from '@nodewright/machine-config';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';
import { createRpcServer } from '@nodewright/rpc';
import { compareByBytes } from '@nodewright/state';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { TemporaryFolder } from '../context/temporary-folder.ts';
import { type Bundle, collectedIn } from './read-bundle.ts';
import { RecordedNode } from './recorded-node.ts';
import { replayServices } from './replay-services.ts';
import { NodeDirectory } from './select-nodes.ts';

/** The name of the context, and of the certificate authority that only this run has. */
const contextName = 'replay';
const lifetimeHours = 24;

export interface Replay extends AsyncDisposable {
  /** `127.0.0.1:40123`. */
  readonly endpoint: string;
  /** A talosconfig with the only certificate that the endpoint accepts, readable by this user alone. */
  readonly talosconfig: string;
  readonly nodes: readonly RecordedNode[];
}

/**
 * Serves the nodes of an archive on a free port of loopback. The only files that it writes are in a temporary folder, which
 * disposing removes.
 */
export async function openReplay(bundle: Bundle, now: Date): Promise<Replay> {
  await using scope = new AsyncDisposableStack();
  const nodes = [...bundle.nodes]
    .map(([name, files]) => new RecordedNode(name, files))
    .sort((one, other) => compareByBytes(one.name, other.name));
  const collectedMs = Date.parse(collectedIn(bundle) ?? '');
  const stop = scope.adopt(new AbortController(), (controller) => controller.abort());
  const server = createRpcServer({
    services: replayServices({
      nodes: new NodeDirectory(nodes),
      collectedMs: Number.isNaN(collectedMs) ? undefined : collectedMs,
      now: Date.now,
      stopSignal: stop.signal,
    }),
    telemetry: noTelemetry,
    // Without a destination the program would need the parts of pino that write files.
    log: createLogger({
      ...{ name: contextName, telemetry: noTelemetry, level: 'silent' },
      destination: { write() {} },
    }),
    drainTimeoutMs: 500,
  });
  scope.use(server);
  const { ca, serverIdentity, clientIdentity } = await identities(now);
  const credentials = ServerCredentials.createSsl(
    Buffer.from(ca.certificate),
    [
      {
        cert_chain: Buffer.from(serverIdentity.certificate),
        private_key: Buffer.from(tlsPrivateKey(serverIdentity.key)),
      },
    ],
    true,
  );
  const endpoint = `127.0.0.1:${await server.listenTls('127.0.0.1:0', credentials)}`;
  const folder = scope.use(await TemporaryFolder.create('talosctl-replay-'));
  const talosconfig = join(folder.path, 'talosconfig');
  const text = encodeTalosconfig({
    ...{ clusterName: contextName, endpoints: [endpoint], nodes: nodes.map(({ name }) => name) },
    ...{ ca: ca.certificate, certificate: clientIdentity.certificate, key: clientIdentity.key },
  });
  await writeFile(talosconfig, text, { mode: 0o600 });
  const opened = scope.move();
  return { endpoint, talosconfig, nodes, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

async function identities(now: Date) {
  const ca = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: contextName,
    notBefore: now,
  });
  const common = { issuer: ca, keyUsage: ['digitalSignature'], notBefore: now, lifetimeHours } as const;
  const [serverIdentity, clientIdentity] = await Promise.all([
    issueCertificate({
      ...{ ...common, subject: { commonName: contextName }, extendedKeyUsage: ['serverAuth'] },
      ipAddresses: ['127.0.0.1'],
    }),
    issueCertificate({
      ...common,
      subject: { organizations: ['os:reader'] },
      extendedKeyUsage: ['clientAuth'],
    }),
  ]);
  return { ca, serverIdentity, clientIdentity };
}
