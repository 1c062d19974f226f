import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { TimeServiceDefinition, type TimeServiceImplementation } from '@nodewright/contract/gen/time/time.ts';
import { Fault, grpcStatusText, kindFromGrpcCode } from '@nodewright/fault';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { recordSpans } from '@nodewright/telemetry/testing';
import { createRpcClient, openUnixChannel } from './rpc-client.ts';
import { createRpcServer } from './rpc-server.ts';

/** The handlers fail with the code in the name of the server; 0 is no failure. */
const implementation: TimeServiceImplementation = {
  time: async () => ({ messages: [] }),
  async timeCheck({ server }) {
    const code = Number(server);
    if (code > 0) throw new Fault(kindFromGrpcCode(code), 'it failed');
    return { messages: [] };
  },
};

test('a span of a server has failed for six codes, and a span of a client for every code but OK', async () => {
  const root = await mkdtemp(join(tmpdir(), 'spans-'));
  const [serverSpans, clientSpans] = [recordSpans(), recordSpans()];
  const server = createRpcServer({
    services: [{ definition: TimeServiceDefinition, implementation }],
    telemetry: serverSpans,
    log: createLogger({ name: 'unit', telemetry: noTelemetry, destination: { write() {} } }),
  });
  await server.listenUnix(join(root, 'x.sock'));
  const channel = openUnixChannel(join(root, 'x.sock'));
  const client = createRpcClient(TimeServiceDefinition, channel, { telemetry: clientSpans });
  for (let code = 0; code <= 16; code += 1)
    await client.timeCheck({ server: String(code) }).catch(() => undefined);
  channel[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
  await rm(root, { recursive: true });

  const failed = ({ spans }: typeof serverSpans) =>
    spans.filter(({ hasFailed }) => hasFailed).map(({ attributes }) => attributes['rpc.status_code']);
  assert.deepEqual(failed(serverSpans), [
    'UNKNOWN',
    'DEADLINE_EXCEEDED',
    'UNIMPLEMENTED',
    'INTERNAL',
    'UNAVAILABLE',
    'DATA_LOSS',
  ]);
  assert.deepEqual(
    failed(clientSpans),
    Array.from({ length: 16 }, (_, index) => grpcStatusText(index + 1)),
  );
  assert.equal(
    [...serverSpans.spans, ...clientSpans.spans].every(({ hasEnded }) => hasEnded),
    true,
  );
});
