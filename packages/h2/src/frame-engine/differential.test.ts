// Random exchanges have the same outcome on both engines. `H2_EXCHANGES` is their number, `H2_SEED` the seed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EnginePair } from '../conformance/index.ts';
import { nodeEngine } from '../node-engine/node-engine.ts';
import { frameEngine } from './frame-engine.ts';
import { type Exchange, randomExchange, runExchanges } from './testing/exchange.ts';
import { randomFrom, testSeed } from './testing/seed.ts';

const seed = testSeed();
const count = Number(process.env.H2_EXCHANGES ?? 400);
const perConnection = 100;

const pairs: readonly EnginePair[] = [
  { server: frameEngine, client: frameEngine },
  { server: frameEngine, client: nodeEngine },
  { server: nodeEngine, client: frameEngine },
];
const oracle: EnginePair = { server: nodeEngine, client: nodeEngine };

test(`${count} random exchanges have the same outcome on both engines (H2_SEED=${seed})`, async () => {
  const random = randomFrom(seed);
  for (let done = 0; done < count; done += perConnection) {
    const exchanges: Exchange[] = Array.from({ length: Math.min(perConnection, count - done) }, () =>
      randomExchange(random),
    );
    const limits = {
      streamWindowBytes: 65_536 << random(4),
      connectionWindowBytes: 131_072,
      maxConcurrentCalls: 1 + random(60),
    };
    const concurrency = 1 + random(40);
    const expected = await runExchanges(oracle, exchanges, limits, concurrency);
    for (const pair of pairs) {
      const outcomes = await runExchanges(pair, exchanges, limits, concurrency);
      const label = `${pair.server.name} serving ${pair.client.name}`;
      for (const [index, outcome] of outcomes.entries()) {
        assert.deepEqual(outcome, expected[index], `${label}, exchange ${done + index}, H2_SEED=${seed}`);
      }
    }
  }
});
