import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { grpcCodeName } from '@nodewright/fault';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import type { Api } from '../wire/api.ts';
import { CallFailure, type CallStatus, codes } from '../wire/call-failure.ts';
import { frameHeaderBytes } from '../wire/message-frames.ts';
import { machine } from '../wire/methods.ts';
import type { WireCallInit } from '../wire/wire-connection.ts';
import { expectFailure, only } from './expect.ts';

const messageLimitBytes = 32 * 1024 * 1024;

/** Sends raw bytes and returns the status of the call and the messages of the answer. */
async function sendRaw(
  api: Api,
  path: string,
  bytes: Uint8Array,
  init: WireCallInit = {},
): Promise<CallStatus & { readonly messages: readonly Buffer[] }> {
  const call = api.open(path, init);
  call.sendBytes(bytes);
  call.end();
  const messages: Buffer[] = [];
  for await (const message of call.messages()) messages.push(message);
  return { ...(await call.status()), messages };
}

/** Version must have been answered normally. */
function assertVersion({ messages, ...status }: Awaited<ReturnType<typeof sendRaw>>): void {
  assertCode(status, codes.ok);
  assert.notEqual(only(machine.version.decode(messages[0] ?? new Uint8Array())).version, undefined);
}

function framed(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(frameHeaderBytes + message.length);
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, frameHeaderBytes);
  return frame;
}

/** An unknown field, as large as needed for a message of `size` bytes. */
function unknownField(size: number): Buffer {
  const head = Buffer.from([0xfa, 0xff, 0x03]);
  const length = varint(size - head.length - varint(size).length);
  return Buffer.concat([head, length, Buffer.alloc(size - head.length - length.length)]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) | 128);
  }
}

async function assertAlive({ admin }: Subject): Promise<void> {
  only(await admin.unary(machine.version, {}));
}

function assertCode({ code, message }: CallStatus, ...accepted: number[]): void {
  const names = accepted.map(grpcCodeName).join(' or ');
  assert.ok(accepted.includes(code), `ended with ${grpcCodeName(code)} "${message}", ${names} was expected`);
}

export const protocolChecks = checksOf('protocol', {
  'protocol.unknown-method': [
    'an unknown method or service fails with UNIMPLEMENTED for every role, and the message names it',
    async (subject) => {
      for (const [path, text] of [
        [
          '/machine.MachineService/NoSuchMethod',
          /^unknown method NoSuchMethod for service machine\.MachineService$/,
        ],
        ['/no.such.Service/Method', /^unknown service no\.such\.Service$/],
      ] as const) {
        const status = await sendRaw(subject.admin, path, framed(new Uint8Array()));
        assertCode(status, codes.unimplemented);
        assert.match(status.message, text);
      }
    },
  ],
  'protocol.undecodable': [
    'a request that is not a message of the type is rejected, and the node continues to serve calls',
    async (subject) => {
      const { path } = machine.logs;
      for (const bytes of [[0xff, 0xff, 0xff], [0x0a, 0x7f, 0x61], [0x08]]) {
        assertCode(
          await sendRaw(subject.admin, path, framed(Buffer.from(bytes))),
          codes.internal,
          codes.invalidArgument,
        );
      }
      await assertAlive(subject);
    },
  ],
  'protocol.cut-request': [
    'a request that ends in the middle of a message is rejected, and the node continues to serve calls',
    async (subject) => {
      const cut = framed(new Uint8Array(100)).subarray(0, 50);
      const { code } = await sendRaw(subject.admin, machine.logs.path, cut, { deadlineMs: 5000 });
      assert.notEqual(code, codes.ok);
      await assertAlive(subject);
    },
  ],
  'protocol.compressed': [
    'a message marked as compressed without a negotiated encoding is rejected',
    async (subject) => {
      const message = framed(Buffer.from([0x0a]));
      message[0] = 1;
      const status = await sendRaw(subject.admin, machine.logs.path, message, { deadlineMs: 5000 });
      assert.notEqual(status.code, codes.ok);
      await assertAlive(subject);
    },
  ],
  'protocol.unknown-fields': [
    'unknown fields are ignored',
    async ({ admin }) => {
      assertVersion(await sendRaw(admin, machine.version.path, framed(unknownField(64))));
    },
  ],
  'protocol.large-request': [
    'a request of almost 32 MiB is accepted',
    async ({ admin }) => {
      const message = framed(unknownField(messageLimitBytes - 1024));
      assertVersion(await sendRaw(admin, machine.version.path, message));
    },
    30_000,
  ],
  'protocol.too-large': [
    'a request above 32 MiB is rejected, and the node continues to serve calls',
    async (subject) => {
      using api = await subject.connect();
      const message = framed(unknownField(messageLimitBytes + 1));
      const status = await sendRaw(api, machine.version.path, message);
      assertCode(status, codes.resourceExhausted, codes.internal);
      await assertAlive(subject);
    },
    30_000,
  ],
  'protocol.deadline-over': [
    'a call whose deadline has passed ends with DEADLINE_EXCEEDED',
    async ({ admin }) => {
      const call = admin.unary(machine.processes, {}, { deadlineMs: 0.001 });
      await expectFailure(call, [codes.deadlineExceeded, codes.cancelled]);
    },
  ],
  'protocol.content-type': [
    'gRPC content types with a suffix are accepted, and the response is gRPC',
    async ({ admin }) => {
      for (const contentType of [
        'application/grpc',
        'application/grpc+proto',
        'application/grpc;charset=utf-8',
      ]) {
        const call = admin.open(machine.version.path, { contentType });
        call.send(new Uint8Array());
        call.end();
        const messages: Buffer[] = [];
        for await (const message of call.messages()) messages.push(message);
        assertVersion({ ...(await call.status()), messages });
        assert.match(String(call.headers['content-type']), /^application\/grpc/);
      }
    },
  ],
  'protocol.many-streams': [
    'one connection carries 150 open streams and further calls',
    async (subject) => {
      using api = await subject.connect();
      const request = { namespace: 'system', id: 'apid', follow: true, tailLines: 1 };
      const streams = Array.from({ length: 150 }, () => api.stream(machine.logs, request));
      const firsts = await Promise.all(streams.map((stream) => stream[Symbol.asyncIterator]().next()));
      assert.ok(firsts.every(({ done }) => done !== true));
      only(await api.unary(machine.version, {}));
      for (const stream of streams) stream.cancel();
      await sleep(100);
      await assertAlive(subject);
    },
    30_000,
  ],
  'protocol.parallel-calls': [
    'concurrent calls each get their own response',
    async ({ admin }) => {
      const ids = Array.from({ length: 60 }, (_, index) => `no-such-${index}`);
      const texts = ids.map(async (id) => {
        const call = admin.stream(machine.logs, { namespace: 'system', id });
        const iterate = async () => {
          for await (const _ of call);
        };
        return (await expectFailure(iterate(), codes.unknown)).text;
      });
      assert.deepEqual(
        await Promise.all(texts),
        ids.map((id) => `log "${id}" was not registered`),
      );
    },
  ],
  'protocol.health-and-reflection': [
    'a node either lacks the gRPC health and reflection services or answers their calls: no client waits without an answer',
    async ({ admin }) => {
      const path = '/grpc.health.v1.Health/Check';
      assertCode(
        await sendRaw(admin, path, framed(new Uint8Array()), { deadlineMs: 5000 }),
        ...[codes.unimplemented, codes.ok, codes.notFound, codes.permissionDenied],
      );
    },
  ],
  'protocol.slow-reader': [
    'a client that stops reading one stream does not block other calls on its connection',
    async (subject) => {
      using api = await subject.connect();
      const stalled = api.open(machine.logs.path);
      stalled.send(machine.logs.encode({ namespace: 'system', id: 'apid', follow: true, tailLines: -1 }));
      stalled.end();
      await sleep(300);
      for (let call = 0; call < 10; call += 1) only(await api.unary(machine.version, {}));
      stalled.cancel();
    },
  ],
  'protocol.failure-is-a-status': [
    'a failed call has its status in trailers, with a message that is not empty',
    async ({ admin }) => {
      const failure = await admin.unary(machine.version, {}, { metadata: { node: ['a', 'b'] } }).then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.ok(failure instanceof CallFailure && failure.text !== '');
    },
  ],
});
