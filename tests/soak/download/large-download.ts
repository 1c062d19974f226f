// Downloads 20 GiB in one call through two gateways with TLS, beside other calls on the same connection: with the windows of a stock client,
// and with those and the probes of upstream's. `GIB=` (20). Ends with 1 when a call is cut off or fails, or when bytes are missing.
import { mkdir, open } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ports } from '@nodewright/contract';
import { ReadRequest } from '@nodewright/contract/gen/machine/machine.ts';
import { messagePrefix } from '@nodewright/h2';
import { tlsPrivateKey } from '@nodewright/pki';
import { openProcessCluster, type ProcessCluster } from '../../cluster/process/process-cluster.ts';
import { runOpened } from '../../cluster/run-opened.ts';

const gibibyte = 1024 ** 3;
const bytes = Math.round(Number(process.env.GIB || 20) * gibibyte);
/** Calls beside the download: at least this many, a few at once, over the whole time of the download. */
const leastCalls = 100;
const callsAtOnce = 4;
const callPauseMs = 200;
const probePauseMs = 50;
const path = '/var/large';

interface Windows {
  readonly client: string;
  /** In bytes; the default of node:http2 when undefined. */
  readonly streamBytes?: number;
  readonly connectionBytes?: number;
  /** Sends a PING several times a second, as a client that measures its bandwidth does. */
  readonly hasProbes?: true;
}

const rows: readonly Windows[] = [
  { client: 'the windows of a stock client' },
  {
    client: "upstream's windows and probes",
    ...{ streamBytes: 65_535 * 32, connectionBytes: 65_535 * 16, hasProbes: true },
  },
];

/** One call. Resolves with the bytes of its body and its status; rejects when the stream ends without one. */
function call(session: ClientHttp2Session, rpc: string, node: string, request: Uint8Array) {
  const { promise, resolve, reject } = Promise.withResolvers<{ bytes: number; status: string }>();
  const stream = session.request({
    ...{ ':method': 'POST', ':path': `/machine.MachineService/${rpc}` },
    ...{ 'content-type': 'application/grpc', te: 'trailers', node },
  });
  let received = 0;
  let status: string | undefined;
  const note = (headers: Record<string, unknown>) => {
    if (headers['grpc-status'] !== undefined) status = `${headers['grpc-status']}`;
  };
  stream.on('response', note).on('trailers', note).on('error', reject);
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  stream.on('close', () =>
    status === undefined
      ? reject(new Error(`${rpc} ended after ${received} bytes with code ${stream.rstCode}`))
      : resolve({ bytes: received, status }),
  );
  stream.end(Buffer.concat([messagePrefix(request.length), request]));
  return promise;
}

async function download(
  cluster: ProcessCluster,
  { client, streamBytes, connectionBytes, hasProbes }: Windows,
) {
  const [entry, behind] = [cluster.controlPlanes[0], cluster.workers[0]];
  if (entry === undefined || behind === undefined) throw new Error('the cluster lacks a node');
  const { ca, crt, key } = await cluster.context('os:admin');
  const text = (base64 = '') => Buffer.from(base64, 'base64').toString();
  const session = connect(`https://${entry.address}:${ports.apid}`, {
    ...{ ca: text(ca), cert: text(crt), key: tlsPrivateKey(text(key?.reveal())) },
    ...(streamBytes !== undefined && { settings: { initialWindowSize: streamBytes } }),
  });
  const problems: string[] = [];
  session.on('error', (error) => problems.push(error.message));
  session.on('goaway', (code) => problems.push(`GOAWAY with code ${code}`));
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  if (connectionBytes !== undefined) session.setLocalWindowSize(connectionBytes);

  const begun = performance.now();
  let isOver = false;
  let calls = 0;
  const ask = async () => {
    while (!isOver && !session.destroyed) {
      const { status } = await call(
        session,
        'Version',
        calls % 2 === 0 ? behind.address : entry.address,
        new Uint8Array(),
      );
      if (status !== '0') problems.push(`a call beside it ended with ${status}`);
      calls += 1;
      await sleep(callPauseMs);
    }
  };
  const probe = async () => {
    for (; !isOver && !session.destroyed; await sleep(probePauseMs)) session.ping(() => {});
  };
  const large = call(session, 'Read', behind.address, ReadRequest.encode({ path }).finish()).finally(() => {
    isOver = true;
  });
  const work = [large, hasProbes ? probe() : undefined, ...Array.from({ length: callsAtOnce }, ask)];
  for (const { reason } of (await Promise.allSettled(work)).filter((one) => one.status === 'rejected'))
    problems.push(`${reason}`);
  const { bytes: received, status } = await large.catch(() => ({ bytes: 0, status: 'none' }));
  session.destroy();
  if (received < bytes || status !== '0') problems.push(`${received} bytes, status ${status}`);
  if (calls < leastCalls) problems.push(`only ${calls} calls beside it`);
  const seconds = (performance.now() - begun) / 1000;
  const speed = Math.round(received / seconds / 1e6);
  process.stdout.write(
    `${problems.length === 0 ? 'passed' : 'failed'}: ${client}: ${(received / gibibyte).toFixed(1)} GiB in ${seconds.toFixed(0)} s (${speed} MB/s), beside ${calls} calls\n`,
  );
  for (const problem of new Set(problems)) process.stdout.write(`  ${problem}\n`);
  return problems.length === 0;
}

async function downloadAll(cluster: ProcessCluster): Promise<boolean> {
  const file = join(cluster.workers[0]?.root ?? '', path);
  await mkdir(dirname(file), { recursive: true });
  const handle = await open(file, 'w');
  // It has a size and takes no room.
  await handle.truncate(bytes);
  await handle.close();
  const results: boolean[] = [];
  for (const row of rows) results.push(await download(cluster, row));
  const passed = results.filter(Boolean).length;
  process.stdout.write(`${passed} passed, ${results.length - passed} failed\n`);
  return passed === results.length;
}

await runOpened({
  open: () => openProcessCluster({ controlPlanes: 1, workers: 1 }),
  run: downloadAll,
});
