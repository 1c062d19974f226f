import assert from 'node:assert/strict';
import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { eventually } from '@nodewright/testkit';
import { checksOf } from '../check.ts';
import type { Subject } from '../subject/subject.ts';
import { codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import { compareBytes, expectFailure, only, unixMs } from './expect.ts';

const states = [
  'Initialized',
  'Preparing',
  'Waiting',
  'Running',
  'Stopping',
  'Finished',
  'Failed',
  'Skipped',
  'Starting',
];
const historyLimit = 64;
/** 0001-01-01T00:00:00Z means never. */
const never = -62_135_596_800n;

async function servicesOf({ admin }: Subject): Promise<ServiceInfo[]> {
  return only(await admin.unary(machine.serviceList, {})).services;
}

async function service(subject: Subject, id: string): Promise<ServiceInfo> {
  const found = (await servicesOf(subject)).find((info) => info.id === id);
  assert.ok(found !== undefined, `there is no service "${id}"`);
  return found;
}

type Verb = 'start' | 'stop' | 'restart';

const methodOf = {
  start: machine.serviceStart,
  stop: machine.serviceStop,
  restart: machine.serviceRestart,
};

/** Every node has apid, and the API may not control it: a node without it would be unreachable. */
const untouchable = (verb: Exclude<Verb, 'start'>) => ({
  [`service-${verb}.refused`]: [
    `${verb} of apid fails with UNKNOWN 'service "apid" doesn't support ${verb} operation via API', and apid keeps running`,
    async (subject: Subject) => {
      const call = subject.admin.unary(methodOf[verb], { id: 'apid' });
      const text = new RegExp(`^service "apid" doesn't support ${verb} operation via API$`);
      await expectFailure(call, codes.unknown, text);
      assert.equal((await service(subject, 'apid')).state, 'Running');
    },
  ] as const,
});

const unknownService = (verb: Verb) => ({
  [`service-${verb}.unknown`]: [
    `an unknown service fails with UNKNOWN 'service "<id>" not defined'`,
    async ({ admin }: Subject) => {
      const call = admin.unary(methodOf[verb], { id: 'no-such-service' });
      await expectFailure(call, codes.unknown, /^service "no-such-service" not defined$/);
    },
  ] as const,
});

export const serviceChecks = [
  ...checksOf(machine.serviceList, {
    'services.order': [
      'services are sorted by id, each listed once, including machined and apid',
      async (subject) => {
        const ids = (await servicesOf(subject)).map(({ id }) => id);
        assert.deepEqual(ids, [...new Set(ids)].sort(compareBytes));
        for (const id of ['apid', 'machined']) assert.ok(ids.includes(id), `there is no service "${id}"`);
      },
    ],
    'services.parts': [
      'events and health are set, because clients read them without a check',
      async (subject) => {
        for (const { id, events, health } of await servicesOf(subject)) {
          assert.ok(events !== undefined && health !== undefined, `events or health of "${id}" are missing`);
        }
      },
    ],
    'services.states': [
      'states have the names of the API, also in events, and the state is that of the latest event',
      async (subject) => {
        for (const { id, state, events } of await servicesOf(subject)) {
          const history = events?.events ?? [];
          assert.ok(states.includes(state), `"${id}" is "${state}"`);
          assert.ok(history.every((event) => states.includes(event.state)));
          if (history.length > 0) assert.equal(history.at(-1)?.state, state, id);
        }
      },
    ],
    'services.history': [
      'events are oldest first, at most 64, each with a time and a text',
      async (subject) => {
        for (const { id, events } of await servicesOf(subject)) {
          const history = events?.events ?? [];
          assert.ok(history.length <= historyLimit, `"${id}" has ${history.length} events`);
          const times = history.map(({ ts }) => unixMs(ts));
          assert.ok(times.every(Number.isFinite), `an event of "${id}" has no time`);
          assert.deepEqual(
            times,
            times.toSorted((a, b) => a - b),
            id,
          );
          assert.ok(history.every(({ msg }) => msg !== ''));
        }
      },
    ],
    'services.apid': [
      'apid, which forwards this call, is Running and healthy, and its history starts with Starting',
      async (subject) => {
        await service(subject, 'apid');
        // A node that has just started has no result yet, and on a busy node one check may have been late.
        await eventually(async () => (await service(subject, 'apid')).health?.healthy === true, {
          what: 'apid in good health',
          timeoutMs: 12_000,
        });
        const { state, health, events } = await service(subject, 'apid');
        assert.deepEqual([state, health?.healthy, health?.unknown], ['Running', true, false]);
        assert.equal(health?.lastMessage, '');
        const history = events?.events ?? [];
        if (history.length < historyLimit) {
          assert.deepEqual([history[0]?.state, history[0]?.msg], ['Starting', 'Starting service']);
        }
      },
    ],
    'services.unknown-health': [
      'a service with unknown health is not healthy, and has no time of change unless it has a message',
      async (subject) => {
        for (const { id, health } of await servicesOf(subject)) {
          if (health?.unknown !== true) continue;
          assert.equal(health.healthy, false, id);
          if (health.lastMessage === '') assert.equal(health.lastChange?.seconds, never, id);
        }
      },
    ],
  }),
  ...checksOf(machine.serviceStart, {
    ...unknownService('start'),
    'service-start.running': [
      `starting a running service that may not be restarted still returns 'Service "<id>" started'`,
      async ({ admin }) => {
        const { resp } = only(await admin.unary(machine.serviceStart, { id: 'apid' }));
        assert.equal(resp, 'Service "apid" started');
      },
    ],
  }),
  ...checksOf(machine.serviceStop, { ...unknownService('stop'), ...untouchable('stop') }),
  ...checksOf(machine.serviceRestart, { ...unknownService('restart'), ...untouchable('restart') }),
];
