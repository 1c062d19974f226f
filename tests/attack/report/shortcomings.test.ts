import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BystanderWindow } from '../measure/child-messages.ts';
import { shortcomings } from './shortcomings.ts';

const window = (p99: number, failures: string[] = []): BystanderWindow => ({
  ...{ calls: 100, p50: 1, p99, max: p99, failures, failed: failures.length },
});

const resultOf = (...attacked: BystanderWindow[]) => ({
  flood: {
    name: 'flood',
    what: 'a test',
    run: async () => ({}),
    judge: ({ guesses = 0 }) => (guesses > 3 ? [`${guesses} guesses`] : []),
  },
  rounds: attacked.map((each, index) => ({
    ...{ counts: { guesses: index }, cpuMs: 1, attacked: each, burned: window(10), ratio: each.p99 / 10 },
  })),
  medianRatio: 1,
});

test('shortcomings() accepts an attack when one of three rounds was within the ratio', () => {
  assert.deepEqual(shortcomings(resultOf(window(100), window(39), window(100)), 1000), []);
});

test('shortcomings() reports a client that waited too long in every round', () => {
  assert.deepEqual(shortcomings(resultOf(window(50), window(60), window(41)), 1000), [
    'the other client waited 5.0, 6.0, 4.1 times longer, at most 4 is allowed',
  ]);
});

test('shortcomings() reports one failed call, and the problems that the attack itself found', () => {
  const rounds = [window(1, ['version: reset']), window(1), window(1), window(1), window(1)];
  assert.deepEqual(shortcomings(resultOf(...rounds), 1000), [
    '1 calls of the other client failed: version: reset',
    '4 guesses',
  ]);
});
