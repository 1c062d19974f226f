// A bundle is complete: it runs from an empty folder that holds only the files which its build lists.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { bundles } from '@nodewright/build/bundles';
import {
  HealthCheckResponse_ServingStatus,
  HealthDefinition,
} from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import { createRpcClient, openUnixChannel } from '@nodewright/rpc';
import { noTelemetry } from '@nodewright/telemetry';
import { startLoneNode } from '@nodewright/testkit';

const dist = join(import.meta.dirname, '..', '..', '_out', 'dist');
/** The undecoded response of the reflection service to `list_services`. */
async function listServices(socket: string): Promise<string> {
  using channel = openUnixChannel(socket);
  const identity = (bytes: Uint8Array) => Buffer.from(bytes);
  const definition = {
    serverReflectionInfo: {
      path: '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      requestStream: true,
      responseStream: true,
      requestSerialize: identity,
      requestDeserialize: identity,
      responseSerialize: identity,
      responseDeserialize: identity,
      options: {},
    },
  } as const;
  const client = createRpcClient(definition, channel, { telemetry: noTelemetry });
  const question = Buffer.from(new BinaryWriter().tag(7, WireType.LengthDelimited).string('*').finish());
  for await (const reply of client.serverReflectionInfo(
    (async function* () {
      yield question;
    })(),
  ))
    return reply.toString('latin1');
  return '';
}

test('no bundle contains a character beyond Latin-1, which would double the memory that its text takes', () => {
  const files = globSync('*/*.cjs', { cwd: dist });
  assert.ok(files.length >= 8, `${files.length} bundles`);
  for (const file of files) {
    const [letter] = /[\u0100-\uffff]/.exec(readFileSync(join(dist, file), 'utf8')) ?? [];
    assert.equal(letter, undefined, file);
  }
});

test('the evaluator of selectors is only in the bundle of its worker thread, so no start loads it', () => {
  const having = globSync('*/*.cjs', { cwd: dist }).filter((file) =>
    readFileSync(join(dist, file), 'utf8').includes('@bufbuild/cel/'),
  );
  assert.deepEqual(having, ['machined/selector-worker.cjs']);
});

test('every daemon bundle runs from an empty folder, with health, and reflection except in apid', async () => {
  const programs = mkdtempSync(join(tmpdir(), 'bundles-'));
  try {
    for (const { name } of bundles) cpSync(join(dist, name), join(programs, name), { recursive: true });
    await using node = await startLoneNode({
      servicesFolder: programs,
      program: join(programs, 'machined', 'machined.cjs'),
    });
    const services = {
      machined: await listServices(node.sockets.machined),
      trustd: await listServices(node.sockets.trustd),
    };
    assert.match(services.machined, /machine\.MachineService/);
    assert.match(services.trustd, /grpc\.health\.v1\.Health/);
    // apid's socket has the health service alone.
    await assert.rejects(listServices(node.sockets.apid), /unknown method \/grpc\.reflection/);
    using channel = openUnixChannel(node.sockets.apid);
    const health = createRpcClient(HealthDefinition, channel, { telemetry: noTelemetry });
    assert.equal((await health.check({ service: '' })).status, HealthCheckResponse_ServingStatus.SERVING);
    node.machined.signal('SIGTERM');
    assert.deepEqual(await node.machined.exited, { code: 0, signal: null });
  } finally {
    rmSync(programs, { recursive: true, force: true });
  }
});

test('the bundle of talosctl runs from an empty folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    cpSync(join(dist, 'talosctl'), join(folder, 'talosctl'), { recursive: true });
    const program = join(folder, 'talosctl', 'talosctl.cjs');
    const output = execFileSync(process.execPath, [program, 'version', '--client'], {
      cwd: folder,
      encoding: 'utf8',
      env: { HOME: folder },
    });
    assert.match(output, /Tag: +v1\.14/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
