// A source may fail at any moment of its controller's loop. Each time it is reported, closed and opened again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Controller, ControllerSource } from './controller.ts';
import { countingController } from './testing/counting-controller.ts';
import { FakeEventLoop, openTestRuntime } from './testing/index.ts';
import { turnShareMs } from './turn-share.ts';

/** A controller whose sources are recorded, and what `onOpen` does while the first one is opened. */
function sourceController(init: Partial<Controller> & { onOpen?: (source: ControllerSource) => unknown }) {
  const { onOpen, ...rest } = init;
  const opened: ControllerSource[] = [];
  const controller = countingController({
    ...rest,
    outputs: [],
    open: async (source) => {
      opened.push(source);
      if (opened.length === 1) await onOpen?.(source);
    },
  });
  return { controller, opened };
}

const gone = () => new Error('gone');
/** The first pause after a failure, without jitter. */
const pauseMs = 500;

/** The first source was reported and closed, and the second one is in use. */
async function assertReplaced(
  rig: ReturnType<typeof openTestRuntime>,
  { controller, opened }: ReturnType<typeof sourceController>,
  earlier: readonly string[] = [],
) {
  await rig.settled();
  assert.deepEqual(
    rig.logged.map(({ error, msg }) => `${msg}: ${error}`),
    [...earlier, 'controller cannot watch what it needs: gone'],
  );
  await rig.advance(pauseMs * 2);
  assert.deepEqual(
    opened.map(({ signal }) => signal.aborted),
    [true, false],
  );
  const { passes } = controller;
  opened[1]?.wake();
  await rig.settled();
  assert.equal(controller.passes, passes + 1);
}

test('a source that fails while it is opened is reported and opened again after a pause', async () => {
  for (const isLater of [false, true]) {
    const made = sourceController({
      onOpen: async (source) => {
        if (isLater) await nextTurn();
        source.fail(gone());
        await nextTurn();
      },
    });
    await using rig = openTestRuntime({ controllers: [made.controller] });
    await assertReplaced(rig, made);
  }
});

test('a source that fails while the pass waits for its turn is reported and opened again after a pause', async () => {
  const eventLoop = new FakeEventLoop();
  const made = sourceController({});
  await using rig = openTestRuntime({ controllers: [made.controller], eventLoop });
  await rig.settled();
  eventLoop.advance(turnShareMs);
  made.opened[0]?.wake();
  await nextTurn();
  assert.equal(made.controller.passes, 1, 'the pass waits');
  made.opened[0]?.fail(gone());
  assert.ok(eventLoop.turn());
  await rig.settled();
  await assertReplaced(rig, made);
});

test('a source that fails during a pass is reported and opened again after a pause', async () => {
  const made = sourceController({
    reconcile: async () => {
      await nextTurn();
      made.opened[0]?.fail(gone());
      await nextTurn();
    },
  });
  await using rig = openTestRuntime({ controllers: [made.controller] });
  await assertReplaced(rig, made);
});

test('a source that fails during the pause after a failed pass is reported and opened again', async () => {
  const made = sourceController({
    reconcile: async () => {
      if (made.controller.passes === 1) throw new Error('not this time');
    },
  });
  await using rig = openTestRuntime({ controllers: [made.controller] });
  await rig.settled();
  made.opened[0]?.fail(gone());
  await rig.advance(pauseMs);
  await assertReplaced(rig, made, ['controller failed: not this time']);
});

test('a source that fails while its controller sleeps is reported and opened again after a pause', async () => {
  const made = sourceController({});
  await using rig = openTestRuntime({ controllers: [made.controller] });
  await rig.settled();
  made.opened[0]?.fail(gone());
  await assertReplaced(rig, made);
});
