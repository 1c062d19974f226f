import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { afterKeys } from '../testing/press.ts';
import { afterEvents, sampleModel } from '../testing/sample-model.ts';
import { shownEvents } from './event-log.ts';
import { logNames, type NodeModel } from './model.ts';
import type { Sample } from './sample.ts';
import { newestFirst, type ShownLog, shownLogs, spanOf } from './shown-logs.ts';
import { subscriptionsOf } from './subscriptions.ts';

const all = afterKeys(sampleModel(), 'f4', 'shift-tab');

test('"all services" shows the logs of the services of a node, n those of all nodes', () => {
  const names = (model: typeof all) => shownLogs(model).map(({ node, name }) => `${node.name} ${name}`);
  const own = ['node01 apid', 'node01 etcd', 'node01 machined'];
  assert.deepEqual(names(all), own);
  assert.deepEqual(names(afterKeys(all, 'n')), own, 'the other nodes have not listed their services');
  assert.deepEqual(names(afterKeys(all, 'n', 'tab')), [
    ...['node01 kernel', 'node02 kernel', 'node03 kernel', '日本-node kernel'],
  ]);
});

test('where the log of the kernel is refused, the services are shown first, unless the user has chosen a log', () => {
  const refused = { kind: 'log-problem', log: 'kernel', message: 'not here', isFinal: true } as const;
  const fresh = afterEvents(sampleModel(), 'node01', refused);
  assert.deepEqual(
    [fresh.log, logNames(fresh.nodes[0] as NodeModel)],
    ['all services', ['apid', 'etcd', 'machined', 'all services', 'kernel']],
  );
  const chosen = afterKeys(fresh, 'f4', 'tab');
  assert.equal(chosen.log, 'kernel');
  const others = [
    afterEvents(chosen, 'node01', refused),
    afterEvents(sampleModel(), 'node01', { ...refused, isFinal: false }),
    afterEvents(sampleModel(), 'node02', refused),
  ];
  assert.deepEqual(
    others.map(({ log }) => log),
    ['kernel', 'kernel', 'kernel'],
  );
});

test('merged lines come in the order of their times, also those without one', () => {
  const model = afterEvents(all, 'node01', {
    ...{ kind: 'log-lines', log: 'etcd', lines: ['no time', '{"msg":"late","ts":"2026-01-10T03:00:05Z"}'] },
    atMs: 0,
  });
  assert.deepEqual([...newestFirst(shownLogs(model))].map(({ line }) => line.text.trim()).reverse(), [
    '02:59:58 info  request \u202efinished',
    ...['02:59:59 warn  slow took=3s', 'no time'],
    ...['03:00:00 info  request finished code=OK', '03:00:05       late'],
  ]);
});

test('newestFirst() gives every line once, in order, for any logs', () => {
  const log = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 20 });
  fc.assert(
    fc.property(fc.array(log, { maxLength: 5 }), (times) => {
      const logs = times.map((each, index) => {
        const lines = each.sort((a, b) => a - b).map((atMs, at) => ({ text: `${index} ${at}`, atMs }));
        return {
          name: String(index),
          log: { lines, count: lines.length, ownCount: 0 },
        } as unknown as ShownLog;
      });
      const merged = [...newestFirst(logs)].map(({ line }) => line);
      assert.deepEqual(
        merged.map(({ atMs }) => atMs),
        times.flat().sort((a, b) => b - a),
      );
      assert.equal(new Set(merged.map(({ text }) => text)).size, spanOf(logs).count);
    }),
  );
});

test('o reads the logs again with the requests of the dashboard', () => {
  const logs = (model: typeof all) => subscriptionsOf(model).filter(({ kind }) => kind === 'log');
  assert.deepEqual(
    logs(afterKeys(all, 'o')).map((log) => log.kind === 'log' && log.withOwn),
    [true, true, true],
  );
});

test('enter on an event shows what the same call caused, on all nodes; esc shows all again', () => {
  const events = afterKeys(sampleModel(), 'f6');
  assert.deepEqual(
    shownEvents(events).map(({ id, node }) => `${id} ${node}`),
    ['a1 node01', 'a2 node02', 'a3 node01'],
  );
  const caused = afterKeys(events, 'n', 'enter');
  assert.deepEqual(
    shownEvents(caused).map(({ id }) => id),
    ['a2', 'a3'],
  );
  assert.equal(shownEvents(afterKeys(caused, 'escape')).length, 3);
  const without = afterKeys(events, 'g');
  assert.equal(afterKeys(without, 'enter'), without, 'no call caused it');
});

test('a node with too many services, events or words takes a bounded place', () => {
  const services = Array.from({ length: 5000 }, (_, at) => ({ id: `s${at}` }));
  const many = afterEvents(all, 'node01', {
    kind: 'sampled',
    sample: { atMs: Date.now(), services } as unknown as Sample,
  });
  assert.equal(shownLogs(many).length, 128);
  const line = { type: 'Task', source: 's', message: 'm'.repeat(1_000_000), actorId: '', atMs: 0 };
  const flooded = afterEvents(all, 'node01', {
    kind: 'happened',
    events: Array.from({ length: 3000 }, (_, at) => ({ ...line, id: `b${String(at).padStart(5, '0')}` })),
  });
  const { events = [] } = flooded.nodes[0] ?? {};
  assert.deepEqual([events.length, events.at(-1)?.id, events.at(-1)?.message.length], [1000, 'b02999', 2000]);
});

test('a stream of events that begins again adds only what is new', () => {
  const line = { type: 'Task', source: 's', message: '', actorId: '', atMs: 0 };
  const again = afterEvents(sampleModel(), 'node01', {
    kind: 'happened',
    events: ['a1', 'a3', 'a4'].map((id) => ({ id, ...line })),
  });
  assert.deepEqual(
    again.nodes[0]?.events.map(({ id }) => id),
    ['a1', 'a3', 'a4'],
  );
});
