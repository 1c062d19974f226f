// talosctl events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import {
  AddressEvent,
  ConfigLoadErrorEvent,
  ConfigValidationErrorEvent,
  Event,
  EventsRequest,
  MachineStatusEvent,
  PhaseEvent,
  RestartEvent,
  SequenceEvent,
  ServiceStateEvent,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { parseAllDocuments } from 'yaml';
import type { FakeCall, FakeHandler } from './fake-gateway.ts';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const requests: EventsRequest[] = [];

function packed<Message, Partial>(
  name: string,
  codec: { fromPartial(value: Partial): Message; encode(message: Message): { finish(): Uint8Array } },
  value: Partial,
): Any {
  return {
    typeUrl: `talos/runtime/machine.${name}`,
    value: Buffer.from(codec.encode(codec.fromPartial(value)).finish()),
  };
}

const story: Any[] = [
  packed('SequenceEvent', SequenceEvent, { sequence: 'boot', action: 1 }),
  packed('SequenceEvent', SequenceEvent, {
    sequence: 'boot',
    error: { message: "sequence failed: ENOENT: no such file or directory, open '/dev/sda'" },
  }),
  packed('PhaseEvent', PhaseEvent, { phase: 'startEverything', action: 0 }),
  packed('TaskEvent', TaskEvent, { task: 'startAllServices', action: 1 }),
  packed('ServiceStateEvent', ServiceStateEvent, {
    service: 'apid',
    action: 3,
    message: 'Health check successful',
  }),
  packed('ConfigLoadErrorEvent', ConfigLoadErrorEvent, { error: 'no file' }),
  packed('ConfigValidationErrorEvent', ConfigValidationErrorEvent, { error: 'no type' }),
  packed('AddressEvent', AddressEvent, { hostname: 'node01', addresses: ['10.0.0.1', 'fd00::1'] }),
  packed('MachineStatusEvent', MachineStatusEvent, {
    stage: 4,
    status: { ready: false, unmetConditions: [{ name: 'services' }, { name: 'time' }] },
  }),
  packed('RestartEvent', RestartEvent, { cmd: 0x1234567n }),
  { typeUrl: 'talos/runtime/machine.NobodyKnows', value: Buffer.alloc(0) },
  { typeUrl: '', value: Buffer.alloc(0) },
];

function send(call: FakeCall, event: Parameters<typeof Event.fromPartial>[0]): void {
  call.send(Event.encode(Event.fromPartial(event)).finish());
}

const events: FakeHandler = (call) => {
  requests.push(EventsRequest.decode(call.request));
  send(call, { id: 'hello', data: { typeUrl: '', value: Buffer.alloc(0) } });
  if (call.node === 'node03') return call.fail(7, 'not authorized');
  for (const [at, data] of (call.node === 'node02' ? story.slice(4, 5) : story).entries()) {
    send(call, { id: `id${at}`, actorId: at === 0 ? 'the-call' : '', data });
  }
  if (call.node !== 'endless') call.end();
};

const suite = openSuite({ '/machine.MachineService/Events': events });

test('every event is printed as two lines, under one header, and unknown ones are omitted', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01', 'events');
  assert.deepEqual([stderr, exitCode], ['', 0]);
  const cells = stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
  assert.deepEqual(cells[0], ['NODE', 'ID', 'EVENT', 'TIME', 'ACTOR', 'SOURCE', 'MESSAGE']);
  assert.deepEqual(cells.slice(1, 3), [
    ['node01', 'id0', 'talos/runtime/machine.SequenceEvent'],
    ['the-call', 'boot', 'START'],
  ]);
  assert.deepEqual(
    cells.slice(1).flatMap((row, at) => (at % 2 === 1 ? [row.slice(1)] : [])),
    [
      ['boot', 'START'],
      ['boot', 'error: sequence failed: open "/dev/sda": no such file or directory'],
      ['startEverything', 'START'],
      ['startAllServices', 'STOP'],
      ['apid', 'RUNNING: Health check successful'],
      ['error', 'no file'],
      ['error', 'no type'],
      ['node01', 'ADDRESSES: 10.0.0.1,fd00::1'],
      ['RUNNING', 'ready: false, unmet conditions: [services time]'],
      ['restart', 'command 0x1234567'],
    ],
  );
});

test('the options select where the events begin and from which actor they come', async () => {
  const asked = async (...words: string[]) => {
    await suite.run('-n', 'node01', 'events', ...words);
    return requests.at(-1);
  };
  const nothing = { tailEvents: 0, tailSeconds: 0, tailId: '', withActorId: '' };
  assert.deepEqual(
    [
      await asked(),
      await asked('--tail', '-1'),
      await asked('--tail=20'),
      await asked('--duration', '1h0m5s'),
      await asked('--since', 'abc', '--actor-id', 'me'),
    ],
    [
      nothing,
      { ...nothing, tailEvents: -1 },
      { ...nothing, tailEvents: 20 },
      { ...nothing, tailSeconds: 3605 },
      { ...nothing, tailId: 'abc', withActorId: 'me' },
    ],
  );
});

test('options that are not numbers or times are rejected', async () => {
  for (const words of [
    ['--tail', 'x'],
    ['--duration', '10'],
    ['--duration', '100ms'],
    ['--duration', '99999999h'],
  ]) {
    const { stderr, exitCode } = await suite.run('-n', 'node01', 'events', ...words);
    assert.equal(exitCode, 1);
    assert.match(stderr, /^error: option --\w+ must be .*, not ".*"; see "talosctl events --help"\n$/);
  }
});

test('events of several nodes are labelled, and a failing node does not affect the others', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node02,node03', 'events');
  assert.match(
    stdout,
    /\nnode02 +id0 +talos\/runtime\/machine\.ServiceStateEvent\nthe-call +apid +RUNNING: /,
  );
  assert.deepEqual(
    [stderr, exitCode],
    [
      'error from node node03: rpc error: code = PermissionDenied desc = not authorized\n' +
        '"talosctl config info" shows the roles of the certificate and when it ends\n',
      1,
    ],
  );
});

const linesOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('events as JSON are one object per line', async () => {
  const { stdout, exitCode } = await suite.run('-n', 'node01,node03', 'events', '-o', 'json');
  const items = linesOf(stdout);
  assert.equal(exitCode, 1);
  assert.deepEqual(
    items.filter(({ type }) => type === 'machine.ServiceStateEvent'),
    [
      {
        node: 'node01',
        id: 'id4',
        time: null,
        actorId: '',
        type: 'machine.ServiceStateEvent',
        event: { service: 'apid', action: 'RUNNING', message: 'Health check successful' },
      },
    ],
  );
  assert.deepEqual(
    items.filter(({ error }) => error !== undefined),
    [{ node: 'node03', error: { code: 'PermissionDenied', message: 'not authorized' } }],
  );
});

test('events as YAML are one document each', async () => {
  const { stdout, exitCode } = await suite.run('-n', 'node01', 'events', '-o', 'yaml');
  const documents = parseAllDocuments(stdout).map((document) => document.toJS() as { node: string });
  assert.equal(exitCode, 0);
  assert.equal(documents.length, stdout.match(/^---$/gm)?.length);
  assert.deepEqual(new Set(documents.map(({ node }) => node)), new Set(['node01']));
});

test('Ctrl-C ends events with success, and every printed line is complete', async () => {
  const child = suite.talosctl.start(['-n', 'endless', 'events', '-o', 'json'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const result = finished(child);
  child.stdout?.on('data', (text) => {
    // Output must be readable immediately: it must not be buffered until the end.
    if (String(text).includes('RestartEvent')) child.kill('SIGINT');
  });
  const { stdout, exitCode } = await result;
  assert.deepEqual([linesOf(stdout).length, exitCode], [10, 0]);
});
