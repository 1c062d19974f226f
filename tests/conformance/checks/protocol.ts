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
    'a method or service that does not exist: UNIMPLEMENTED that names it, for any role',
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
    'a request that is no message of the type is refused, and the node serves on',
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
    'a request that ends within its message is refused, and the node serves on',
    async (subject) => {
      const cut = framed(new Uint8Array(100)).subarray(0, 50);
      const { code } = await sendRaw(subject.admin, machine.logs.path, cut, { deadlineMs: 5000 });
      assert.notEqual(code, codes.ok);
      await assertAlive(subject);
    },
  ],
  'protocol.compressed': [
    'a message that says it is compressed, though no encoding was agreed on, is refused',
    async (subject) => {
      const message = framed(Buffer.from([0x0a]));
      message[0] = 1;
      const status = await sendRaw(subject.admin, machine.logs.path, message, { deadlineMs: 5000 });
      assert.notEqual(status.code, codes.ok);
      await assertAlive(subject);
    },
  ],
  'protocol.unknown-fields': [
    'fields that nobody knows are let pass',
    async ({ admin }) => {
      assertVersion(await sendRaw(admin, machine.version.path, framed(unknownField(64))));
    },
  ],
  'protocol.large-request': [
    'a request of nearly 32 MiB is taken',
    async ({ admin }) => {
      const message = framed(unknownField(messageLimitBytes - 1024));
      assertVersion(await sendRaw(admin, machine.version.path, message));
    },
    30_000,
  ],
  'protocol.too-large': [
    'a request above 32 MiB is refused, and the node serves on',
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
    'a deadline that is over ends the call with DEADLINE_EXCEEDED',
    async ({ admin }) => {
      const call = admin.unary(machine.processes, {}, { deadlineMs: 0.001 });
      await expectFailure(call, [codes.deadlineExceeded, codes.cancelled]);
    },
  ],
  'protocol.content-type': [
    'content types of gRPC with a suffix are taken, and the answer is gRPC',
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
    'one connection carries 150 streams that stay open, and calls beside them',
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
    'calls beside each other are answered each with its own answer',
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
    'a node has no health or reflection service, or one that answers: no client waits in vain',
    async ({ admin }) => {
      const path = '/grpc.health.v1.Health/Check';
      assertCode(
        await sendRaw(admin, path, framed(new Uint8Array()), { deadlineMs: 5000 }),
        ...[codes.unimplemented, codes.ok, codes.notFound, codes.permissionDenied],
      );
    },
  ],
  'protocol.slow-reader': [
    'a reader that stops reading holds up nobody else on its connection',
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
    'a call that fails carries its status in trailers, with a text that is not empty',
    async ({ admin }) => {
      const failure = await admin.unary(machine.version, {}, { metadata: { node: ['a', 'b'] } }).then(
        () => undefined,
        (error: unknown) => error,
      );
      assert.ok(failure instanceof CallFailure && failure.text !== '');
    },
  ],
});
