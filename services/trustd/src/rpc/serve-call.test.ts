import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, kindFromGrpcCode, Secret } from '@nodewright/fault';
import { createLogger, noTelemetry, type Telemetry } from '@nodewright/telemetry';
import { recordSpans } from '@nodewright/telemetry/testing';
import { ByteBudget } from '../domain/byte-budget.ts';
import { trustdLimits } from '../domain/limits.ts';
import { LogAllowance } from '../domain/log-allowance.ts';
import { WrongGuesses } from '../domain/wrong-guesses.ts';
import { Peer } from '../host/peer.ts';
import { FakeCall } from '../testing/fake-call.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import { type CallServer, serveCall } from './serve-call.ts';

const path = '/a.B/Echo';
const right = ['token', 'abcdef.0123456789abcdef'];
const message = Buffer.from('hello');

function startServer({ telemetry = noTelemetry }: { telemetry?: Telemetry } = {}) {
  const clock = new FakeClock();
  const lines: Record<string, unknown>[] = [];
  const answered: string[] = [];
  const bodies = new ByteBudget(100);
  const guesses = new WrongGuesses(trustdLimits);
  const answer = async (bytes: Uint8Array) => {
    answered.push(Buffer.from(bytes).toString());
    const code = /^fail (\d+)$/.exec(answered.at(-1) ?? '')?.[1];
    if (code !== undefined) throw new Fault(kindFromGrpcCode(Number(code)), 'it failed');
    return bytes;
  };
  const server: CallServer = {
    methods: new Map([[path, { path, answer }]]),
    token: () => new Secret('abcdef.0123456789abcdef'),
    ...{ clock, bodies, guesses },
    telemetry,
    anonymousLog: new LogAllowance(trustdLimits),
    log: createLogger({
      name: 'trustd',
      telemetry: noTelemetry,
      destination: { write: (line) => void lines.push(JSON.parse(line)) },
    }),
  };
  const call = (headers: string[], { address = '10.5.0.5', method = path } = {}) => {
    const made = new FakeCall(method, headers);
    const peer = new Peer(
      { remoteAddress: address, remotePort: 1, certificate: undefined, certificateError: undefined },
      clock.nowMs(),
    );
    const ended = serveCall(server, made, peer);
    return Object.assign(made, { ended, peer });
  };
  return { clock, lines, answered, bodies, guesses, call };
}

const settle = () => new Promise(setImmediate);

test('serveCall() stores no body before it has checked the token, and none for unknown methods', async () => {
  const { call, bodies, clock } = startServer();
  const refused = [
    call([]),
    call(['token', 'wrong']),
    call(right, { method: '/a.B/Other' }),
    call([], { method: '/x.Y/Z' }),
  ];
  for (const each of refused) {
    each.send(Buffer.alloc(90));
    await settle();
    assert.equal(bodies.heldBytes, 0);
  }
  await clock.advance(trustdLimits.guessWaitMs);
  assert.deepEqual(
    refused.map(({ status }) => [status?.code, status?.message]),
    [
      [16, 'missing token'],
      [16, 'invalid token'],
      [12, 'unknown method Other for service a.B'],
      [12, 'unknown service x.Y'],
    ],
  );
  assert.deepEqual(
    refused.map(({ peer }) => peer.isTrusted),
    [false, false, false, false],
  );
});

test('serveCall() delays a wrong token by 1 s and a right token not at all', async () => {
  const { call, clock, answered } = startServer();
  const wrong = call(['token', 'wrong']);
  await clock.advance(999);
  assert.equal(String(wrong.status), 'undefined');
  const good = call(right);
  good.sendMessage(message);
  await good.ended;
  assert.deepEqual([good.status?.code, good.peer.isTrusted, answered], [0, true, ['hello']]);
  await clock.advance(1);
  assert.deepEqual([wrong.status?.code, clock.sleeping], [16, 0]);
});

test('serveCall() delays 16 wrong tokens per address or /64 and rejects further ones at once', async () => {
  const { call, clock, guesses } = startServer();
  const network = (host: number) => ({ address: `fd00::${host.toString(16)}` });
  const waiting = Array.from({ length: 16 }, (_, index) => call(['token', 'wrong'], network(index + 1)));
  const more = call(['token', 'wrong'], network(99));
  const other = call(['token', 'wrong'], { address: 'fd00:0:0:1::1' });
  const good = call(right, network(1));
  good.sendMessage(message);
  await settle();
  assert.deepEqual(
    [more.status?.code, more.status?.message, other.status, good.status?.code],
    [8, 'too many calls with a wrong token from fd00:0:0:0::/64', undefined, 0],
  );
  waiting[0]?.cancel();
  await settle();
  const next = call(['token', 'wrong'], network(99));
  await clock.advance(1000);
  assert.deepEqual([next.status?.code, guesses.groups], [16, 0]);
});

test('serveCall() limits the bodies of all calls, frees them, and times out slow ones', async () => {
  const { call, clock, bodies } = startServer();
  const [slow, large] = [call(right), call(right)];
  slow.send(Buffer.concat([Buffer.from([0, 0, 0, 0, 90]), Buffer.alloc(60)]));
  large.send(Buffer.concat([Buffer.from([0, 0, 0, 0, 90]), Buffer.alloc(60)]));
  await large.ended;
  assert.deepEqual([large.status?.code, bodies.heldBytes], [8, 65]);
  await clock.advance(trustdLimits.bodyMs);
  assert.deepEqual([slow.status?.code, slow.status?.message], [4, 'the request did not arrive in time']);
  const gone = call(right);
  gone.send(Buffer.alloc(3));
  gone.cancel();
  await gone.ended;
  assert.deepEqual([bodies.heldBytes, clock.sleeping], [0, 0]);
});

test('serveCall() accepts exactly one uncompressed message of at most 96 KiB', async () => {
  const { call } = startServer();
  const prefix = (flag: number, ...length: number[]) => Buffer.from([flag, ...length]);
  const rows: [Buffer, number, RegExp][] = [
    [prefix(0, 0, 1, 0x80, 1), 8, /^the message has 98305 bytes, more than 98304$/],
    [Buffer.concat([prefix(0, 0, 0, 0, 0), prefix(0, 0, 0, 0, 0)]), 3, /two messages/],
    [prefix(1, 0, 0, 0, 0), 12, /compressed/],
    [prefix(0, 0, 0), 3, /ended inside a message: 3 of 5 prefix bytes$/],
    [Buffer.concat([prefix(0, 0, 0, 0, 0), prefix(0, 0, 0, 0, 2), prefix(7)]), 3, /: 1 of 2 bytes$/],
    [Buffer.alloc(0), 3, /^the request has no message$/],
  ];
  for (const [bytes, code, message] of rows) {
    const made = call(right);
    made.send(bytes);
    made.end();
    await made.ended;
    assert.equal(made.status?.code, code);
    assert.match(String(made.status?.message), message);
  }
});

test('serveCall() ends a call at its deadline', async () => {
  const { call, clock } = startServer();
  const made = call([...right, 'grpc-timeout', '50m']);
  await settle();
  await clock.advance(50);
  assert.equal(made.status?.code, 4);
  const malformed = call([...right, 'grpc-timeout', 'soon']);
  await malformed.ended;
  assert.equal(malformed.status?.message, 'malformed grpc-timeout: "soon"');
});

test('serveCall() limits the log lines about wrong tokens, and logs their address but not the token', async () => {
  const { call, clock, lines } = startServer();
  for (let guess = 0; guess < 500; guess += 1) call(['token', `secret-guess-${guess}`]);
  await clock.advance(1000);
  assert.equal(lines.length, trustdLimits.logBurst);
  assert.deepEqual([lines[0]?.peer, lines[0]?.code], ['10.5.0.5:1', 'ResourceExhausted']);
  await clock.advance(60_000);
  call(['token', 'secret-guess']);
  await clock.advance(1000);
  assert.equal(lines.at(-1)?.linesLeftOut, 500 - trustdLimits.logBurst);
  assert.equal(JSON.stringify(lines).includes('secret-guess'), false);
});

test('serveCall() marks the span as failed only for what a server is to blame for', async () => {
  const telemetry = recordSpans();
  const { call } = startServer({ telemetry });
  for (let code = 1; code <= 16; code += 1) {
    const made = call(right);
    made.sendMessage(Buffer.from(`fail ${code}`));
    await made.ended;
  }
  assert.equal(telemetry.spans.length, 16);
  assert.deepEqual(
    telemetry.spans
      .filter(({ hasFailed }) => hasFailed)
      .map(({ attributes }) => attributes['rpc.status_code']),
    ['UNKNOWN', 'DEADLINE_EXCEEDED', 'UNIMPLEMENTED', 'INTERNAL', 'UNAVAILABLE', 'DATA_LOSS'],
  );
});
