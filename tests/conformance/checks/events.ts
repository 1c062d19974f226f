import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import {
  type Event,
  MachineStatusEvent,
  SequenceEvent,
  ServiceStateEvent,
} from '@nodewright/contract/gen/machine/machine.ts';
import { checksOf, Skip } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { collect, collectUntilQuiet, compareBytes, expectFailure } from './expect.ts';

type Request = Parameters<typeof machine.events.encode>[0];
const quietMs = 500;
const idForm = /^[0-9a-v]{20}$/;
const typePrefix = 'talos/runtime/';
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** The first, empty message and the events of a stream, until no more arrive for a while. */
async function listen({ admin }: Subject, request: Request): Promise<{ hello: Event; events: Event[] }> {
  const [hello, ...events] = await collectUntilQuiet(admin.stream(machine.events, request), quietMs);
  assert.ok(hello !== undefined, 'no first message');
  return { hello, events };
}

async function everything(subject: Subject): Promise<{ events: Event[] }> {
  const { events } = await listen(subject, { tailEvents: -1 });
  assert.ok(events.length > 0, 'the node has booted but has no events');
  return { events };
}
const ids = (events: readonly Event[]) => events.map(({ id }) => id);

function decoded<T>(events: readonly Event[], name: string, type: { decode(bytes: Uint8Array): T }): T[] {
  const wanted = events.filter(({ data }) => data?.typeUrl === `${typePrefix}machine.${name}`);
  return wanted.map(({ data }) => type.decode(data?.value ?? new Uint8Array()));
}

/** Seconds since the Unix epoch, from the first four bytes of an id. */
function secondsOfId(id: string): number {
  const digits = [...id.slice(0, 7)].map((digit) => Number.parseInt(digit, 32));
  return Number(digits.reduce((number, digit) => number * 32n + BigInt(digit), 0n) >> 3n);
}

export const eventChecks = checksOf(machine.events, {
  'events.hello': [
    'the first message has only a new id and the requested actor id; clients wait for it',
    async (subject) => {
      const actor = randomUUID();
      for (const withActorId of ['', actor]) {
        const { hello } = await listen(subject, { withActorId });
        assert.deepEqual(
          [hello.data?.typeUrl ?? '', hello.data?.value.length ?? 0, hello.actorId],
          ['', 0, withActorId],
        );
        assert.match(hello.id, idForm);
      }
    },
  ],
  'events.types': [
    'the type of every event is in package machine, its type URL starts with talos/runtime/, and it has no metadata',
    async (subject) => {
      const { events } = await everything(subject);
      for (const { data, metadata, actorId } of events) {
        assert.match(data?.typeUrl ?? '', /^talos\/runtime\/machine\.[A-Za-z]+Event$/);
        assert.equal(metadata, undefined);
        if (actorId !== '') assert.match(actorId, uuidForm);
      }
    },
  ],
  'events.ids': [
    'ids are 20 base-32 digits, begin with the time in seconds, and grow in byte order',
    async (subject) => {
      const known = ids((await everything(subject)).events);
      assert.ok(known.every((id) => idForm.test(id)));
      assert.deepEqual(known, [...new Set(known)].sort(compareBytes));
      const now = Date.now() / 1000 + 60;
      assert.ok(known.map(secondsOfId).every((seconds) => seconds > 1_400_000_000 && seconds < now));
    },
  ],
  'events.default': [
    'without a tail, no past events are sent',
    async (subject) => {
      const { events } = await everything(subject);
      const { events: fresh } = await listen(subject, {});
      assert.deepEqual(
        ids(fresh).filter((id) => ids(events).includes(id)),
        [],
      );
    },
  ],
  'events.tail': [
    'tail_events of N sends the last N events; a negative number sends all stored events, at most 990',
    async (subject) => {
      const all = ids((await everything(subject)).events);
      assert.ok(all.length <= 990, `${all.length} events`);
      for (const count of [1, 2, 5]) {
        const { events } = await listen(subject, { tailEvents: count });
        const [first = ''] = ids(events);
        if (all.length >= count) assert.ok(all.slice(-count).includes(first), `tail_events ${count}`);
        assert.ok(events.length >= Math.min(count, all.length));
      }
      const { events } = await listen(subject, { tailEvents: -2_147_483_648 });
      assert.deepEqual(ids(events).slice(0, 1), all.slice(0, 1));
    },
  ],
  'events.tail-id': [
    'tail_id sends the events after the one with this id',
    async (subject) => {
      const all = ids((await everything(subject)).events);
      if (all.length < 3) throw new Skip(`the node has only ${all.length} events`);
      const { events } = await listen(subject, { tailId: all.at(-3) ?? '' });
      assert.deepEqual(ids(events).slice(0, 2), all.slice(-2));
    },
  ],
  'events.tail-seconds': [
    'tail_seconds sends the events of the last seconds',
    async (subject) => {
      const all = ids((await everything(subject)).events);
      const { events } = await listen(subject, { tailSeconds: 2_000_000_000 });
      assert.deepEqual(ids(events).slice(0, all.length), all);
      const { events: recent } = await listen(subject, { tailSeconds: 1 });
      const oldest = Date.now() / 1000 - 10;
      assert.ok(ids(recent).every((id) => secondsOfId(id) > oldest));
    },
  ],
  'events.two-tails': [
    'more than one kind of tail fails with UNKNOWN after the first message',
    async ({ admin }) => {
      const call = collect(admin.stream(machine.events, { tailId: 'c0000000000000000000', tailEvents: 1 }));
      await expectFailure(call, codes.unknown, /can't be specified at the same time/);
    },
  ],
  'events.bad-id': [
    'an invalid tail_id fails with UNKNOWN "error parsing tail_id"',
    async ({ admin }) => {
      for (const tailId of ['x', 'zzzzzzzzzzzzzzzzzzzz', 'c000000000000000000']) {
        const call = collect(admin.stream(machine.events, { tailId }));
        await expectFailure(call, codes.unknown, /^error parsing tail_id: /);
      }
    },
  ],
  'events.actor': [
    'with_actor_id sends only the events of this actor',
    async (subject) => {
      await everything(subject);
      const { events } = await listen(subject, { tailEvents: -1, withActorId: randomUUID() });
      assert.deepEqual(events, []);
    },
  ],
  'events.services': [
    'the events include the start of apid; each has a health record, which is unknown unless the service runs',
    async (subject) => {
      const changes = decoded((await everything(subject)).events, 'ServiceStateEvent', ServiceStateEvent);
      const ofApid = changes.filter(({ service }) => service === 'apid');
      if (changes.length === 0) throw new Skip('the node has dropped the events of its start');
      assert.ok(ofApid.length > 0, 'apid runs but has no event');
      for (const { health, action, message } of changes) {
        assert.ok(health !== undefined && message !== '');
        const running = 3;
        if (action !== running) assert.equal(health.unknown, true);
      }
    },
  ],
  'events.machine-status': [
    'a machine status event always has the field status, because clients read it without a check',
    async (subject) => {
      const statuses = decoded((await everything(subject)).events, 'MachineStatusEvent', MachineStatusEvent);
      if (statuses.length === 0) throw new Skip('the node has no event of a machine status');
      assert.ok(statuses.every(({ status }) => status !== undefined));
    },
  ],
  'events.sequences': [
    'sequences have the names of the API',
    async (subject) => {
      const sequences = decoded((await everything(subject)).events, 'SequenceEvent', SequenceEvent);
      if (sequences.length === 0) throw new Skip('the node has no event of a sequence');
      const known =
        /^(noop|boot|initialize|install|shutdown|upgrade|stageUpgrade|maintenanceUpgrade|reset|reboot|emergencyVolumeCleanup)$/;
      for (const { sequence } of sequences) assert.match(sequence, known);
    },
  ],
});
