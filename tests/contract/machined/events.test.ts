// Events that a node sends about itself.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import {
  ServiceStateEvent_Action as Action,
  AddressEvent,
  type Event,
  type EventsRequest,
  MachineServiceDefinition,
  MachineStatusEvent,
  PhaseEvent,
  RestartEvent,
  SequenceEvent,
  ServiceStateEvent,
  MachineStatusEvent_MachineStage as Stage,
  TaskEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { type NodeUnderTest, startNode } from './harness/node-under-test.ts';

const node = await startNode();
after(() => node[Symbol.asyncDispose]());
await runs(node);

/** Collects a stream of events so far. */
function follow(request: Partial<EventsRequest>, at: NodeUnderTest = node) {
  const stop = new AbortController();
  const events: Event[] = [];
  const ended = (async () => {
    const client = at.client(MachineServiceDefinition, 'os:reader');
    for await (const event of client.events(request, { signal: stop.signal })) events.push(event);
  })();
  ended.catch(() => {});
  return { events, ended, stop };
}

/** The events of a stream without the first one, until it is silent while the node answers another call. */
async function history(request: Partial<EventsRequest>, at: NodeUnderTest = node): Promise<Event[]> {
  const { events, stop } = follow(request, at);
  await eventually(() => events.length > 0, { what: 'first event' });
  let seen = 0;
  while (seen < events.length) {
    seen = events.length;
    await new Promise((resolve) => setTimeout(resolve, 400));
    await at.client(MachineServiceDefinition, 'os:reader').version({});
  }
  stop.abort();
  return events.slice(1);
}

/** Waits until the node has reported that it has booted and is ready. */
async function runs(at: NodeUnderTest): Promise<void> {
  const told = async () => (await history({ tailEvents: -1 }, at)).map(line);
  // The two come from independent sources, so either may be first.
  const ends = [`status ${Stage.RUNNING} true`, 'sequence boot 2'];
  const isOver = (lines: readonly string[]) => ends.every((end) => lines.includes(end));
  await eventually(async () => isOver(await told()), {
    what: 'a node that runs',
    explain: () => at.machined.stdout(),
  });
}

/** An event as one line with its relevant fields. */
function line({ data }: Event): string {
  const [, name = ''] = /^talos\/runtime\/machine\.(\w+)$/.exec(data?.typeUrl ?? '') ?? [];
  const decode = <T>(codec: { decode(bytes: Uint8Array): T }) => codec.decode((data as Any).value);
  if (name === 'SequenceEvent') {
    const { sequence, action, error } = decode(SequenceEvent);
    return `sequence ${sequence} ${action} ${error?.message ?? ''}`.trim();
  }
  if (name === 'PhaseEvent') return `phase ${decode(PhaseEvent).phase} ${decode(PhaseEvent).action}`;
  if (name === 'TaskEvent') return `task ${decode(TaskEvent).task} ${decode(TaskEvent).action}`;
  if (name === 'RestartEvent') return `restart ${decode(RestartEvent).cmd.toString(16)}`;
  if (name === 'AddressEvent')
    return `address ${decode(AddressEvent).hostname} ${decode(AddressEvent).addresses}`;
  if (name === 'MachineStatusEvent') {
    const { stage, status } = decode(MachineStatusEvent);
    const reasons = status?.unmetConditions.map(({ name: what, reason }) => `${what}: ${reason}`);
    return `status ${stage} ${status?.ready} ${reasons}`.trim();
  }
  const { service, action, message, health } = decode(ServiceStateEvent);
  return `service ${service} ${action} ${message} ${health?.unknown}/${health?.healthy}`;
}

test('the first message is empty except for an id and the requested actor', async () => {
  for (const request of [{}, { withActorId: 'somebody' }, { tailId: 'broken' }]) {
    const { events, stop } = follow(request);
    await eventually(() => events.length > 0, { what: 'first event' });
    const { data, id, actorId, metadata } = events[0] as Event;
    assert.deepEqual([data?.typeUrl, data?.value.length, actorId], ['', 0, request.withActorId ?? '']);
    assert.equal(metadata, undefined);
    assert.match(id, /^[0-9a-v]{20}$/);
    stop.abort();
  }
});

test('a node sends events of its sequences, services, stage and addresses, with growing ids', async () => {
  const all = await history({ tailEvents: -1 });
  const ids = all.map(({ id }) => id);
  assert.deepEqual(ids.toSorted(), ids);
  assert.equal(
    all.every(({ data }) => data?.typeUrl.startsWith('talos/runtime/machine.')),
    true,
  );
  const lines = all.map(line);
  // Events that come from resources (stage, addresses) are ordered among themselves, not relative to the
  // others.
  const sequences = lines.filter((text) => /^(sequence|phase|task) /.test(text));
  assert.equal(lines[0], sequences[0]);
  assert.deepEqual(sequences.slice(0, 3), [
    'sequence initialize 1',
    'phase earlyServices 0',
    'task startMachined 0',
  ]);
  // The tasks of a phase run concurrently.
  assert.deepEqual(sequences.slice(3, 8).sort(), [
    ...['task startApid 0', 'task startApid 1', 'task startDevices 0', 'task startDevices 1'],
    'task startMachined 1',
  ]);
  assert.deepEqual(sequences.slice(8), [
    ...[
      'phase earlyServices 1',
      'phase config 0',
      'task loadConfig 0',
      'task loadConfig 1',
      'phase config 1',
    ],
    ...['sequence initialize 2', 'sequence boot 1', 'phase startEverything 0'],
    ...['task startAllServices 0', 'task startAllServices 1', 'phase startEverything 1', 'sequence boot 2'],
  ]);
  const addresses = lines.filter((text) => text.startsWith('address '));
  assert.equal(addresses.at(-1), `address node01 ${node.address}`);
  // Until the configuration names the node, its name is made from its address. How soon that is differs.
  const madeName = `talos-${node.address.replaceAll('.', '-')}`;
  assert.ok(
    addresses.length <= 2 &&
      addresses.slice(0, -1).every((text) => text === `address ${madeName} ${node.address}`),
    `${addresses}`,
  );
  const statuses = lines.filter((text) => text.startsWith('status '));
  assert.match(statuses[0] ?? '', new RegExp(`^status ${Stage.BOOTING} false .*services: apid not running`));
  // The sequence ends when each service is up. The status may show that a moment later, and what else is missing.
  const notReady = new RegExp(`^status (${Stage.BOOTING}|${Stage.RUNNING}) false `);
  assert.ok(
    statuses.slice(0, -1).every((text) => notReady.test(text)),
    `${statuses}`,
  );
  assert.equal(statuses.at(-1), `status ${Stage.RUNNING} true`);
  const apid = lines.filter((text) => text.startsWith('service apid'));
  assert.deepEqual(
    apid
      .filter((text) => !text.includes(' Waiting for '))
      .map((text) => text.replace(/Process.*PID \d+/, 'it runs')),
    [
      `service apid ${Action.STARTING} Starting service true/false`,
      `service apid ${Action.PREPARING} Running pre state true/false`,
      `service apid ${Action.PREPARING} Creating service runner true/false`,
      `service apid ${Action.RUNNING} it runs true/false`,
      `service apid ${Action.RUNNING} Health check successful false/true`,
    ],
  );
});

test('a stream begins at the requested number, id or second', async () => {
  const ids = (events: readonly Event[]) => events.map(({ id }) => id);
  const all = await history({ tailEvents: -1 });
  const requests: Partial<EventsRequest>[] = [
    { tailEvents: 3 },
    { tailEvents: 100_000 },
    { tailId: all[4]?.id as string },
    { tailSeconds: 3600 },
  ];
  const found = [];
  for (const request of requests) found.push(ids(await history(request)));
  // An event may have occurred between two calls: leave late ones out of the comparison.
  const known = new Set(ids(all));
  const [last = [], ...rest] = found.map((each) => each.filter((id) => known.has(id)));
  assert.deepEqual(rest, [ids(all), ids(all.slice(5)), ids(all)]);
  assert.deepEqual(last, ids(all).slice(all.length - last.length));
  assert.equal(found[0]?.length, 3);
  assert.deepEqual(await history({}), []);
  assert.deepEqual(await history({ tailEvents: -1, withActorId: 'nobody' }), []);
});

test('invalid options end the stream after its first message, with the reason', async () => {
  const cases: [Partial<EventsRequest>, RegExp][] = [
    [{ tailId: 'x' }, /^error parsing tail_id: /],
    [
      { tailId: '0'.repeat(20), tailEvents: 1 },
      /^WithTailID can't be specified at the same time with WithTailEvents or WithTailDuration$/,
    ],
    [{ tailEvents: 1, tailSeconds: 1 }, /can't be specified at the same time/],
  ];
  for (const [request, details] of cases) {
    const { events, ended } = follow(request);
    await assert.rejects(ended, { code: 2, details });
    assert.equal(events.length, 1);
  }
});

test('events after the first message arrive as they occur, until the reader cancels', async () => {
  const { events, ended, stop } = follow({});
  await eventually(() => events.length > 0, { what: 'first event' });
  await node.order('apid', 'deaf');
  await eventually(() => events.some((event) => /service apid 3 Health check failed/.test(line(event))), {
    what: 'failed check',
  });
  const statuses = () => events.map(line).filter((text) => text.startsWith('status'));
  await eventually(() => statuses().length > 0, { what: 'status' });
  assert.equal(statuses()[0], `status ${Stage.RUNNING} false services: apid not healthy`);
  stop.abort();
  await assert.rejects(ended, { name: 'AbortError' });
  await node.order('apid', '');
});

test('a node that stops sends all events of its shutdown, and the streams end with OK', async () => {
  await using second = await startNode();
  await runs(second);
  const { events, ended } = follow({ tailEvents: 1 }, second);
  await eventually(() => events.length > 0, { what: 'first event' });
  second.machined.signal('SIGTERM');
  await ended;
  const lines = events.slice(1).map(line);
  const shutdown = lines.slice(lines.indexOf('sequence shutdown 1'));
  assert.deepEqual(
    shutdown.filter((text) => /^(sequence|phase|task) /.test(text)),
    [
      'sequence shutdown 1',
      'phase stopEverything 0',
      'task stopAllServices 0',
      'task stopAllServices 1',
      'phase stopEverything 1',
      ...['phase shutdown 0', 'task shutdown 0', 'task shutdown 1', 'phase shutdown 1'],
      'sequence shutdown 2',
      'sequence shutdown 0 sequence failed: unix.Reboot(4321fedc)',
    ],
  );
  assert.match(
    shutdown.find((text) => text.startsWith('status ')) ?? '',
    new RegExp(`^status ${Stage.SHUTTING_DOWN} `),
  );
  assert.deepEqual(await second.machined.exited, { code: 0, signal: null });
});
