// Clients in common use against grpc-go's test server behind the test gateway.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import {
  type ClientDuplexStream,
  credentials,
  Metadata as GrpcMetadata,
  makeGenericClientConstructor,
} from '@grpc/grpc-js';
import { metadataKeys } from '@nodewright/contract';
import { eventually } from '@nodewright/testkit';
import { createChannel, createClient, Metadata } from 'nice-grpc';
import { engineName, gatewayName, type TestGateway } from '../gateway/start-gateway.ts';
import { openRig } from '../open-rig.ts';
import { rawTestService, simpleRequest, statusRequest, streamingRequest } from '../peers/raw-test-service.ts';

const rig = await openRig();
after(() => rig[Symbol.asyncDispose]());

const calls = 200;
const answerBytes = 50_000;
/** A message of an answer has its payload and up to 16 bytes more. */
const hasAnswer = ({ length }: Uint8Array) => length > answerBytes && length <= answerBytes + 16;
const routes = [undefined, gatewayName] as const;

/** The library cannot verify an address over TLS, so it gets the name of the certificate. */
const channelOptions = { 'grpc.ssl_target_name_override': gatewayName };

function channelCredentials({ tls }: TestGateway) {
  const [ca, key, cert] = [tls.ca, tls.key, tls.cert].map((pem) => Buffer.from(String(pem)));
  return credentials.createSsl(ca, key, cert);
}

test(`grpc-js calls through one gateway and through two on the engine ${engineName}`, async () => {
  const Client = makeGenericClientConstructor(rawTestService, 'TestService');
  const client = new Client(`127.0.0.1:${rig.near.port}`, channelCredentials(rig.near), channelOptions);
  try {
    for (const node of routes) {
      const metadata = new GrpcMetadata();
      if (node !== undefined) metadata.set(metadataKeys.node, node);
      const unary = (request: Buffer) =>
        new Promise<Buffer>((resolve, reject) => {
          client.unaryCall?.(request, metadata, (error: Error | null, reply: Buffer) =>
            error === null ? resolve(reply) : reject(error),
          );
        });
      const requests = Array.from({ length: calls }, () => simpleRequest(answerBytes, answerBytes));
      assert.ok((await Promise.all(requests.map(unary))).every(hasAnswer));
      await assert.rejects(unary(statusRequest(9, 'füße: 100 %\n')), { code: 9, details: 'füße: 100 %\n' });

      const stream = client.fullDuplexCall?.(metadata) as ClientDuplexStream<Buffer, Buffer>;
      let answers = 0;
      stream.write(streamingRequest(answerBytes));
      for await (const answer of stream) {
        assert.ok(hasAnswer(answer));
        answers += 1;
        if (answers === calls) stream.end();
        else stream.write(streamingRequest(answerBytes));
      }
      assert.equal(answers, calls);
    }
  } finally {
    client.close();
  }
});

/** Opens a client on nice-grpc. */
function openNiceClient() {
  const channel = createChannel(`127.0.0.1:${rig.near.port}`, channelCredentials(rig.near), channelOptions);
  const client = createClient(rawTestService, channel);
  return { client, [Symbol.dispose]: () => channel.close() };
}

const niceMetadata = (node: string | undefined) =>
  Metadata(node === undefined ? {} : { [metadataKeys.node]: node });

test(`nice-grpc calls through one gateway and through two on the engine ${engineName}`, async () => {
  using nice = openNiceClient();
  for (const node of routes) {
    const metadata = niceMetadata(node);
    const requests = Array.from({ length: calls }, () => simpleRequest(answerBytes));
    const replies = await Promise.all(
      requests.map((request) => nice.client.unaryCall(request, { metadata })),
    );
    assert.ok(replies.every(hasAnswer));
    await assert.rejects(nice.client.unaryCall(statusRequest(5, 'none'), { metadata }), {
      code: 5,
      details: 'none',
    });
  }
});

/**
 * node:http2 counts a call that the client has cancelled until it has freed it, and answers the call that then exceeds
 * the limit of the connection with ENHANCE_YOUR_CALM, which clients do not repeat.
 */
const failuresBesideCancel: Readonly<Record<string, number>> = { node: 1 };

test(`calls succeed right after a cancelled stream, on the engine ${engineName}`, async () => {
  using nice = openNiceClient();
  for (const node of routes) {
    const metadata = niceMetadata(node);
    const cancel = new AbortController();
    const requested = async function* () {
      for (let sent = 0; sent < 2 * calls; sent += 1) yield streamingRequest(answerBytes);
      await once(cancel.signal, 'abort');
    };
    const stream = nice.client.fullDuplexCall(requested(), { metadata, signal: cancel.signal });
    let answers = 0;
    const readAll = async () => {
      for await (const _ of stream) {
        answers += 1;
        if (answers === calls) cancel.abort();
      }
    };
    await assert.rejects(readAll, { name: 'AbortError' });
    const requests = Array.from({ length: calls }, () => simpleRequest(answerBytes));
    const outcomes = await Promise.allSettled(
      requests.map((request) => nice.client.unaryCall(request, { metadata })),
    );
    const failures = outcomes.filter(({ status }) => status === 'rejected');
    assert.ok(failures.length <= (failuresBesideCancel[engineName] ?? 0), JSON.stringify(failures));
  }
});

const requests = 2000;

function hasH2load(): boolean {
  try {
    return execFileSync('h2load', ['--version'], { encoding: 'utf8', stdio: 'pipe' }).includes('h2load');
  } catch {
    return false;
  }
}

test(`h2load makes ${requests} calls on the engine ${engineName}, and each has the status OK`, {
  skip: hasH2load() ? false : 'h2load is not installed (Debian: nghttp2-client)',
}, async () => {
  const body = join(rig.folder, 'empty-message');
  writeFileSync(body, Buffer.alloc(5));
  const path = '/grpc.testing.TestService/EmptyCall';
  const fields = ['content-type: application/grpc', 'te: trailers'].flatMap((field) => ['-H', field]);
  const { stdout } = await promisify(execFile)('h2load', [
    ...['-n', String(requests), '-c', '4', '-m', '16', '-d', body, ...fields],
    `https://127.0.0.1:${rig.open.port}${path}`,
  ]);
  assert.match(stdout, new RegExp(`${requests} succeeded, 0 failed, 0 errored, 0 timeout`));
  const served = () =>
    rig.open.process.lines().filter(({ method, code }) => method === path && code === 'OK').length;
  await eventually(() => served() === requests, { what: 'a log line for each call' });
});
