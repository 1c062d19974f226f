// Both ends use the stock gRPC library, a client and a machined as in the rest of the suite.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { credentials } from '@grpc/grpc-js';
import {
  MachineServiceDefinition,
  type MachineServiceImplementation,
  MemoryResponse,
} from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { createRpcServer } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { createChannel, createClient, Metadata } from 'nice-grpc';
import { ApidUnderTest } from './harness/apid-under-test.ts';

/** The library requires every method to exist; none of these is called. */
const others = Object.fromEntries(
  Object.keys(MachineServiceDefinition.methods).map((name) => [
    name,
    async () => {
      throw new Fault('unimplemented', `${name} is not part of this test`);
    },
  ]),
);

const log = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });

test('a client and a machined on grpc-js talk through apid: unary, streams, errors, deadlines, cancels', async () => {
  await using apid = await ApidUnderTest.start();
  await apid.machined[Symbol.asyncDispose]();
  rmSync(join(apid.folder, 'machined.sock'), { force: true });
  const aborted = Promise.withResolvers<void>();
  const machine: Partial<MachineServiceImplementation> = {
    async memory(_request, context) {
      // Two fields on the wire; the library joins repeated fields into one value.
      assert.equal(context.metadata.getAll('talos-role').join(', '), 'os:admin, os:reader');
      return MemoryResponse.fromPartial({ messages: [{ meminfo: { memtotal: 1n } }] });
    },
    async hostname() {
      throw new Fault('failed-precondition', 'no name yet: try again');
    },
    async *logs() {
      for (let turn = 0; turn < 50; turn += 1)
        yield { metadata: undefined, bytes: Buffer.alloc(40_000, turn) };
    },
    async *events(_request, context) {
      context.signal.addEventListener('abort', () => aborted.resolve());
      yield { metadata: undefined, data: undefined, id: '1', actorId: '' };
      await new Promise(() => {});
    },
    async version(_request, { signal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      throw new Fault('internal', 'unreachable');
    },
  };
  await using server = createRpcServer({
    services: [{ definition: MachineServiceDefinition, implementation: { ...others, ...machine } }],
    telemetry: noTelemetry,
    log,
  });
  await server.listenUnix(join(apid.folder, 'machined.sock'));

  const { cert, key } = await apid.authority.client('os:reader', 'os:admin');
  const ssl = credentials.createSsl(
    Buffer.from(apid.authority.certificate),
    Buffer.from(key),
    Buffer.from(cert),
  );
  // The library cannot verify an IP address over TLS, so it gets a name of the certificate.
  const channel = createChannel(`127.0.0.1:${apid.port}`, ssl, { 'grpc.ssl_target_name_override': 'node01' });
  const client = createClient(MachineServiceDefinition, channel);
  try {
    // More concurrent calls than a new connection allows at first.
    const answers = await Promise.all(Array.from({ length: 200 }, () => client.memory({})));
    assert.ok(answers.every(({ messages }) => messages[0]?.meminfo?.memtotal === 1n));

    await assert.rejects(client.hostname({}), { code: 9, details: 'no name yet: try again' });
    await assert.rejects(client.memory({}, { metadata: Metadata({ node: 'x:1' }) }), {
      code: 13,
      details: 'invalid target "x:1"',
    });

    let bytes = 0;
    for await (const data of client.logs({})) bytes += data.bytes.length;
    assert.equal(bytes, 2_000_000);

    const cancel = new AbortController();
    await assert.rejects(async () => {
      for await (const _event of client.events({}, { signal: cancel.signal })) cancel.abort();
    });
    await aborted.promise;

    await assert.rejects(client.version({}, { metadata: Metadata({ 'grpc-timeout': '100m' }) }), {
      code: 4,
    });
  } finally {
    channel.close();
  }
});
