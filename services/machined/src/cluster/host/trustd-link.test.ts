import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeSignal, pause } from '@nodewright/async';
import {
  MembershipServiceDefinition,
  type NodeRecord,
  type ReportRequest,
  type ReportResponse,
} from '@nodewright/contract/gen/suite/membership/v1/membership.ts';
import { Fault, Secret } from '@nodewright/fault';
import {
  type CertificateAndKey,
  generateCertificateAuthority,
  issueCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createRpcServer, ReloadingServerCredentials } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { listVersion } from '../domain/node-record.ts';
import { controlPlaneRecord, nodeRecord } from '../domain/testing/node-record.ts';
import type { LinkTiming } from './link-timing.ts';
import { NodeRegistry } from './node-registry.ts';
import { until } from './testing/until.ts';
import { followTrustd } from './trustd-link.ts';

const timing = { leaseSeconds: 3, firstRetryMs: 20 };
/** With it, only a change ends the wait for an answer, and no report follows without a reason. */
const patient = { leaseSeconds: 600, firstRetryMs: 20 };
const options = { timeout: 120_000 };
const ca = await generateCertificateAuthority({
  algorithm: 'ed25519',
  organization: 'talos',
  notBefore: new Date(),
});
const never = new AbortController().signal;
const silent = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

/** Starts a server with the reports API of trustd. A report whose list is current is answered after the next change. */
async function startTrustd(
  init: { ips?: readonly string[]; issuer?: CertificateAndKey; address?: string; heldMs?: number } = {},
) {
  const { ips = ['127.0.0.1'], issuer = ca, address = '127.0.0.1:0', heldMs = 900 } = init;
  const pair = await issueCertificate({
    issuer,
    subject: { commonName: 'node01' },
    dnsNames: ['node01'],
    ipAddresses: ips,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: new Date(Date.now() - 60_000),
    lifetimeHours: 1,
  });
  const reports: ReportRequest[] = [];
  const tokens: (string | undefined)[] = [];
  const changed = new ChangeSignal();
  let nodes: NodeRecord[] = [controlPlaneRecord(1)];
  let refusal: Fault | undefined;
  const server = createRpcServer({
    services: [
      {
        definition: MembershipServiceDefinition,
        implementation: {
          async report(
            request: ReportRequest,
            context: { signal: AbortSignal; metadata: { get(key: string): string | undefined } },
          ): Promise<ReportResponse> {
            reports.push(request);
            tokens.push(context.metadata.get('token'));
            if (refusal !== undefined) throw refusal;
            if (request.knownVersion === listVersion(nodes))
              await changed.next(AbortSignal.any([context.signal, AbortSignal.timeout(heldMs)]));
            return { nodes, leaseSeconds: timing.leaseSeconds, version: listVersion(nodes) };
          },
          checkCertificate: async () => ({ withheldNames: [] }),
        },
      },
    ],
    telemetry: noTelemetry,
    log: silent,
    drainTimeoutMs: 0,
  });
  const port = await server.listenTls(
    address,
    new ReloadingServerCredentials({
      certificate: pair.certificate,
      key: tlsPrivateKey(pair.key),
      minVersion: 'TLSv1.3',
    }),
  );
  return {
    port,
    reports,
    tokens,
    /** Sets the records that this control plane returns. */
    setNodes(...next: NodeRecord[]) {
      nodes = next;
      changed.notify();
    },
    refuse(fault: Fault | undefined) {
      refusal = fault;
      changed.notify();
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Starts a worker that reports to the trustd at these ports. */
const startWorker = (...ports: number[]) => startWorkerWith(timing, ...ports);

function startWorkerWith(times: LinkTiming, ...ports: number[]) {
  const registry = new NodeRegistry();
  registry.setOwn(nodeRecord(5));
  const stop = new AbortController();
  const lines: { readonly level: string; readonly error?: string }[] = [];
  const log = createLogger({
    name: 'test',
    telemetry: noTelemetry,
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
  });
  const ended = followTrustd(
    {
      ...{ registry, timing: times, log, telemetry: noTelemetry },
      endpoints: ports.map((port) => ({ host: '127.0.0.1', port })),
      token: new Secret('the.token'),
      acceptedCAs: [ca.certificate],
      // Does not change the order of the endpoints.
      random: () => 0.999,
    },
    stop.signal,
  );
  return {
    registry,
    lines,
    /** The levels of the lines from the first connection on. On a busy machine a report before that may come too late. */
    levels: () => lines.slice(lines.findIndex(({ error }) => error === undefined)).map(({ level }) => level),
    names: () => registry.nodes()?.map(({ hostname }) => hostname),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

test('a worker sends its token and record, and receives changes of the list at once', options, async () => {
  await using trustd = await startTrustd({ heldMs: 600_000 });
  await using worker = startWorkerWith(patient, trustd.port);
  await until('the first answer', () => worker.names() !== undefined);
  assert.deepEqual(worker.names(), ['node1']);
  assert.deepEqual(
    [trustd.reports[0]?.node, trustd.reports[0]?.knownVersion, trustd.tokens[0]],
    [nodeRecord(5), '', 'the.token'],
  );
  await until('the report that waits', () => trustd.reports.length === 2);
  trustd.setNodes(controlPlaneRecord(1), nodeRecord(5), nodeRecord(6));
  await until('the change', () => worker.names()?.length === 3);
  assert.deepEqual(worker.levels(), ['info']);
});

test('a worker reports every third of its lease', options, async () => {
  await using trustd = await startTrustd();
  await using _worker = startWorker(trustd.port);
  await until('the report that waits', () => trustd.reports.length === 2);
  const startMs = performance.now();
  await pause(timing.leaseSeconds * 1000, never);
  // Each report takes 0.9 s, and the pause after it 0.2 s.
  const most = 3 + (performance.now() - startMs) / 1000;
  assert.ok(trustd.reports.length <= most, `${trustd.reports.length} reports`);
  await until('another report', () => trustd.reports.length >= 4);
});

test('a worker reports its record at once when it changes', options, async () => {
  await using trustd = await startTrustd({ heldMs: 600_000 });
  await using worker = startWorkerWith(patient, trustd.port);
  await until('the report that waits', () => trustd.reports.length === 2);
  worker.registry.setOwn(nodeRecord(5, { hostname: 'beta' }));
  await until('the new name', () => trustd.reports.at(-1)?.node?.hostname === 'beta');
});

test('a worker reports to the next control plane when one fails, and keeps its list', options, async () => {
  const first = await startTrustd();
  await using second = await startTrustd();
  second.setNodes(controlPlaneRecord(2));
  await using worker = startWorker(first.port, second.port);
  await until('the first answer', () => worker.names() !== undefined);
  assert.deepEqual([worker.names(), second.reports.length], [['node1'], 0]);
  await first[Symbol.asyncDispose]();
  await until('the other answer', () => worker.names()?.[0] === 'node2');
  assert.equal(second.reports[0]?.knownVersion, '');
});

test(
  'a rejected worker keeps the list, logs the reason once and reconnects as soon as it is accepted',
  options,
  async () => {
    await using trustd = await startTrustd();
    await using worker = startWorker(trustd.port);
    await until('the first answer', () => worker.names() !== undefined);
    trustd.refuse(
      new Fault('unavailable', 'this control plane has no connection to etcd and cannot keep node records'),
    );
    await until('the warning', () => worker.levels().includes('warn'));
    const [before, startMs] = [trustd.reports.length, performance.now()];
    await pause(2000, never);
    // The pauses are 20, 40, 80, 160, 320, 640, 1000, 1000 ms and so on, each about a half shorter.
    const attempts = () => trustd.reports.length - before;
    const most = 8 + (performance.now() - startMs) / 500;
    assert.ok(attempts() <= most, `${attempts()} attempts`);
    await until('two attempts', () => attempts() >= 2);
    assert.deepEqual(worker.names(), ['node1']);
    assert.equal(
      worker.lines.find(({ level }) => level === 'warn')?.error,
      `trustd at 127.0.0.1:${trustd.port}: this control plane has no connection to etcd and cannot keep node records`,
    );
    trustd.refuse(undefined);
    await until('the link', () => worker.levels().length === 3);
    assert.deepEqual(worker.levels(), ['info', 'warn', 'info']);
  },
);

test(
  'a worker that leaves reports it once, to a trustd that accepts it, and can join again',
  options,
  async () => {
    await using first = await startTrustd();
    await using second = await startTrustd();
    await using worker = startWorker(first.port, second.port);
    await until('the report that waits', () => first.reports.length === 2);
    first.refuse(new Fault('unavailable', 'no etcd'));
    await until('the other answer', () => second.reports.length >= 1);
    worker.registry.setOwn(undefined);
    await until('the report that the node leaves', () => second.reports.some(({ isLeaving }) => isLeaving));
    const lastReport = second.reports.at(-1);
    assert.deepEqual([lastReport?.node, lastReport?.knownVersion], [nodeRecord(5), '']);
    const before = second.reports.length;
    await pause(timing.leaseSeconds * 500, never);
    assert.equal(second.reports.length, before);
    worker.registry.setOwn(nodeRecord(5));
    await until('the return', () => second.reports.at(-1)?.isLeaving === false);
  },
);

test(
  'a worker sends nothing to a trustd with a certificate of another CA or of another node',
  options,
  async () => {
    const foreign = await generateCertificateAuthority({
      algorithm: 'ed25519',
      organization: 'talos',
      notBefore: new Date(),
    });
    for (const init of [{ issuer: foreign }, { ips: ['10.5.0.9'] }]) {
      await using trustd = await startTrustd(init);
      await using worker = startWorker(trustd.port);
      await until('the refusal', () => worker.lines.length === 1);
      assert.deepEqual([trustd.reports, worker.names()], [[], undefined]);
    }
  },
);
