// A node of which a command of talosctl may ask its memory while its functions are compiled: a start alone, such as that of a help,
// runs none of those that connect to a node, call it and print its answer. Runs as a worker thread, because the build waits for the
// command.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { Memory, MemoryResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { generateCertificateAuthority, issueCertificate, tlsPrivateKey } from '@nodewright/pki';

const host = '127.0.0.1';

export interface AnsweringNode extends AsyncDisposable {
  /** The arguments of talosctl with which it calls the node. */
  readonly words: readonly string[];
}

/** Starts the node. @param folder gets the talosconfig, with a key that opens nothing else */
export async function startAnsweringNode(folder: string): Promise<AnsweringNode> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { talosconfig: join(folder, 'talosconfig') },
  });
  const [talosconfig] = await once(worker, 'message');
  return {
    words: ['--talosconfig', talosconfig, '-n', host],
    async [Symbol.asyncDispose]() {
      await worker.terminate();
    },
  };
}

async function serve(talosconfig: string): Promise<void> {
  const notBefore = new Date(Date.now() - 3_600_000);
  const issuer = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore,
  });
  const common = { issuer, notBefore, lifetimeHours: 24 * 365, keyUsage: ['digitalSignature'] } as const;
  const server = await issueCertificate({
    ...common,
    ...{ subject: {}, ipAddresses: [host], extendedKeyUsage: ['serverAuth'] },
  });
  const client = await issueCertificate({
    ...common,
    ...{ subject: { organizations: ['os:admin'] }, extendedKeyUsage: ['clientAuth'] },
  });
  const api = createSecureServer({ cert: server.certificate, key: tlsPrivateKey(server.key) });
  api.on('stream', answer);
  api.listen(0, host);
  await once(api, 'listening');
  const { port } = api.address() as AddressInfo;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const lines = [
    ...['context: build', 'contexts:', '    build:', '        endpoints:', `            - ${host}:${port}`],
    `        ca: ${base64(issuer.certificate)}`,
    `        crt: ${base64(client.certificate)}`,
    `        key: ${base64(client.key)}`,
  ];
  writeFileSync(talosconfig, `${lines.join('\n')}\n`, { mode: 0o600 });
  parentPort?.postMessage(talosconfig);
}

function answer(stream: ServerHttp2Stream): void {
  const message = MemoryResponse.encode({
    messages: [Memory.fromPartial({ meminfo: { memtotal: 8_000_000n, memfree: 4_000_000n } })],
  }).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([prefix, message]));
}

if (typeof workerData?.talosconfig === 'string') await serve(workerData.talosconfig);
