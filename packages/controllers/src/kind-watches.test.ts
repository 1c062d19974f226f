import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Input } from './controller.ts';
import { KindWatches } from './kind-watches.ts';

type Init = ConstructorParameters<typeof KindWatches>[0];

test('KindWatches ends the watch of a kind that nobody reads any more, and opens a new one for the next reader', async () => {
  const opened: AbortSignal[] = [];
  const state = {
    watchKind: async (_kind: unknown, { signal }: { signal: AbortSignal }) => {
      opened.push(signal);
      return {
        async *[Symbol.asyncIterator]() {
          await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        },
        [Symbol.dispose]() {},
      };
    },
  };
  const watches = new KindWatches({
    state,
    log: { warn() {}, error() {} },
    timers: {},
    random: () => 0,
  } as unknown as Init);
  const input = { namespace: 'n', type: 'T', kind: 'weak' } as unknown as Input;
  const [first, second] = [{ wake() {} }, { wake() {} }];
  await watches.add(first, input);
  await watches.add(second, input);
  watches.remove(first, input);
  await nextTurn();
  assert.deepEqual(
    opened.map(({ aborted }) => aborted),
    [false],
  );
  watches.remove(second, input);
  await watches.add(first, input);
  assert.deepEqual(
    opened.map(({ aborted }) => aborted),
    [true, false],
  );
  await watches.stop();
});
