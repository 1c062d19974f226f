import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import type { MachineStage } from '../domain/machine-status.ts';
import { awaitStage } from './await-stage.ts';
import { EventStore } from './event-store.ts';

/** A store of events, and whether `awaitStage()` has resolved some turns later. */
function openEvents() {
  const events = new EventStore(() => 0);
  const stop = new AbortController();
  return {
    begin: (sequence: 'boot' | 'shutdown') => events.publish({ kind: 'sequence', sequence, action: 'start' }),
    tell: (stage: MachineStage) =>
      events.publish({ kind: 'machine-status', status: { stage, ready: false, unmetConditions: [] } }),
    stop,
    wait() {
      let isOver = false;
      void awaitStage(events, stop.signal).then(() => {
        isOver = true;
      });
      return async () => {
        for (let left = 5; left > 0; left -= 1) await turn();
        return isOver;
      };
    },
  };
}

test('awaitStage() waits for the status of the stage that a sequence began', async () => {
  const { begin, tell, wait } = openEvents();
  begin('boot');
  tell('booting');
  assert.equal(await wait()(), true);
  begin('shutdown');
  const isOver = wait();
  assert.equal(await isOver(), false);
  // A status that the controllers had begun before.
  tell('booting');
  assert.equal(await isOver(), false);
  tell('shutting-down');
  assert.equal(await isOver(), true);
  assert.equal(await wait()(), true);
});

test('awaitStage() waits no longer than its signal allows', async () => {
  const { begin, wait, stop } = openEvents();
  begin('shutdown');
  const isOver = wait();
  assert.equal(await isOver(), false);
  stop.abort();
  assert.equal(await isOver(), true);
});
