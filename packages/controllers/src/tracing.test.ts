import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { type KindRef, MemoryState, pointerTo } from '@nodewright/state';
import { formatTraceparent, parseTraceparent, type Span, type Telemetry } from '@nodewright/telemetry';
import { exclusive, type ReconcilePass, weak } from './controller.ts';
import { openTestRuntime } from './testing/index.ts';
import { transformController } from './transform-controller.ts';

interface RecordedSpan {
  readonly name: string;
  readonly of: unknown;
  readonly traceparent: string;
  readonly parent: string | undefined;
  readonly links: readonly string[];
  failure?: string;
}

/** Telemetry that keeps its spans in memory. */
function recordingTelemetry(): Telemetry & { readonly spans: RecordedSpan[] } {
  const active = new AsyncLocalStorage<Span>();
  const spans: RecordedSpan[] = [];
  let count = 0;
  const hex = (value: number, length: number) => value.toString(16).padStart(length, '0');
  return {
    enabled: true,
    spans,
    startSpan(name, { parent = active.getStore()?.traceparent, links = [], attributes } = {}) {
      count += 1;
      const traceId = parseTraceparent(parent)?.traceId ?? hex(count, 32);
      const spanId = hex(count, 16);
      const traceparent = formatTraceparent({ traceId, spanId, flags: 1 });
      const recorded: RecordedSpan = {
        name,
        of: attributes?.['nodewright.controller.name'],
        traceparent,
        parent,
        links,
      };
      spans.push(recorded);
      return {
        ...{ traceparent, traceId, spanId, setAttributes() {}, addEvent() {}, end() {} },
        fail: (error) => {
          recorded.failure = (error as Error).message;
        },
      };
    },
    withSpan: (span, body) => active.run(span, body),
    withSpanUntilSettled: (span, body) => active.run(span, body),
    activeSpan: () => active.getStore(),
    [Symbol.asyncDispose]: async () => {},
  };
}

const kindOf = (name: string): KindRef<{ text: string }> => ({
  namespace: 'desk',
  type: `${name}.test.nodewright.dev`,
});
const [orders, meals, plates] = [kindOf('Orders'), kindOf('Meals'), kindOf('Plates')];

test('one trace covers a command and every controller that it wakes', async () => {
  const telemetry = recordingTelemetry();
  const copy = ({ spec }: { spec: { text: string } }) => ({ spec });
  const cook = transformController({ name: 'Cook', input: orders, output: meals, transform: copy });
  const waiter = transformController({ name: 'Waiter', input: meals, output: plates, transform: copy });
  await using rig = openTestRuntime({ controllers: [cook, waiter], telemetry });
  await rig.settled();
  telemetry.spans.length = 0;
  const command = telemetry.startSpan('command');
  await telemetry.withSpan(command, () => rig.state.create({ ...orders, id: 'a', spec: { text: 'soup' } }));
  await rig.settled();
  const nameOf = new Map(telemetry.spans.map(({ traceparent, of, name }) => [traceparent, of ?? name]));
  assert.deepEqual(
    telemetry.spans.map(({ name, of, parent, links }) => ({
      span: `${name} ${of ?? ''}`.trim(),
      parent: nameOf.get(parent ?? ''),
      links: links.map((link) => nameOf.get(link)),
    })),
    [
      { span: 'command', parent: undefined, links: [] },
      { span: 'reconcile Cook', parent: 'command', links: ['command'] },
      { span: 'reconcile Waiter', parent: 'Cook', links: ['Cook'] },
    ],
  );
});

test('a pass is linked to all writes that caused it, and so is its retry after a failure', async () => {
  const telemetry = recordingTelemetry();
  const gate = Promise.withResolvers<void>();
  let passes = 0;
  const controller = {
    name: 'Cook',
    inputs: [weak(orders)],
    outputs: [exclusive(meals)],
    reconcile: async (pass: ReconcilePass) => {
      passes += 1;
      if (passes === 1) await gate.promise;
      if (passes === 2) throw new Error('out of soup');
      await pass.replace(meals, []);
    },
  };
  await using rig = openTestRuntime({ controllers: [controller], telemetry });
  while (passes === 0) await new Promise(setImmediate);
  const commands: string[] = [];
  for (let at = 0; at < 40; at += 1) {
    const command = telemetry.startSpan('command');
    commands.push(command.traceparent ?? '');
    await telemetry.withSpan(command, () => rig.state.create({ ...orders, id: `${at}`, spec: { text: '' } }));
  }
  gate.resolve();
  await rig.settled();
  await rig.advance(500);
  const passesSeen = telemetry.spans.filter(({ name }) => name === 'reconcile');
  assert.deepEqual(
    passesSeen.map(({ parent, links, failure }) => ({ parent, links, failure })),
    [
      { parent: undefined, links: [], failure: undefined },
      { parent: commands[0], links: commands.slice(0, 32), failure: 'out of soup' },
      { parent: commands[0], links: commands.slice(0, 32), failure: undefined },
    ],
  );
});

test('the first pass belongs to the span that starts the runtime, later passes to their causes', async () => {
  const telemetry = recordingTelemetry();
  const controller = {
    name: 'Cook',
    inputs: [weak(orders)],
    outputs: [],
    reconcile: async (pass: ReconcilePass) => {
      if ((await pass.list(orders)).length === 0) pass.wakeAfter(1000);
    },
  };
  const start = telemetry.startSpan('start');
  await using rig = telemetry.withSpan(start, () =>
    openTestRuntime({ controllers: [controller], telemetry }),
  );
  await rig.advance(1000);
  await rig.state.create({ ...orders, id: 'a', spec: { text: '' } });
  await rig.settled();
  const passesSeen = telemetry.spans.filter(({ name }) => name === 'reconcile');
  assert.deepEqual(
    passesSeen.map(({ parent }) => parent),
    [start.traceparent, undefined, undefined],
  );
});

test('the events of a write outside of any span have no traceparent', async () => {
  const state = new MemoryState({ now: () => 0, cookie: new Uint8Array(8), traceparent: () => undefined });
  using watch = await state.watch(pointerTo(orders, 'a'));
  await state.create({ ...orders, id: 'a', spec: { text: '' } });
  const seen: string[][] = [];
  for await (const [event] of watch) {
    seen.push(Object.keys(event ?? {}));
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, [['kind'], ['kind', 'resource', 'bookmark']]);
});
