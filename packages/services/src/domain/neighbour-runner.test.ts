import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createNeighbourRunner } from './neighbour-runner.ts';
import type { HealthResult } from './service-health.ts';

/** Runs until the results are used up: `+` accepts a connection, `-` refuses it. */
async function toldAfter(answers: string): Promise<string[]> {
  const stop = new AbortController();
  const told: string[] = [];
  let asked = 0;
  const runner = createNeighbourRunner('apid', {
    async check(): Promise<HealthResult> {
      return answers[asked++] === '+' ? { healthy: true } : { healthy: false, message: `refused ${asked}` };
    },
    async sleep() {
      if (asked === answers.length) stop.abort();
    },
  });
  await runner.run((event, message) => told.push(`${event}: ${message}`), stop.signal);
  return told;
}

const up = 'run: Service External("apid") takes connections';
const awaited = 'restart: Waiting for External("apid") to take connections';
const gone = (answer: number) =>
  `restart: Error running External("apid"), waiting for it to be restarted: refused ${answer}`;
const stopped = 'signal: Service stopping';

test('a neighbour that accepts connections runs at once', async () => {
  assert.deepEqual(await toldAfter('++++'), [up, stopped]);
});

test('a neighbour that starts late is waited for, and the history has one entry about it', async () => {
  assert.deepEqual(await toldAfter('-----+'), [awaited, up, stopped]);
});

test('a neighbour that refuses three times in a row is gone until it answers again', async () => {
  assert.deepEqual(await toldAfter('+-----++---'), [up, gone(4), up, gone(11), stopped]);
});

test('a neighbour that refuses twice was only slow', async () => {
  assert.deepEqual(await toldAfter('+--+--+--+'), [up, stopped]);
});

test('a neighbour that refuses while the node stops adds nothing to the history', async () => {
  const stop = new AbortController();
  const told: string[] = [];
  const runner = createNeighbourRunner('apid', {
    async check() {
      stop.abort();
      return { healthy: true };
    },
    sleep: async () => {},
  });
  await runner.run((event, message) => told.push(`${event}: ${message}`), stop.signal);
  assert.deepEqual(told, [stopped]);
});
