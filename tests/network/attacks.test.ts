// The short form of `make attack-network`: each attack on the network of a machine, on a network of its own.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkAttacks } from './attacks/index.ts';
import { runNetworkAttack } from './attacks/run-attack.ts';
import { reasonToSkip } from './open-lan.ts';

// Most of an attack is waiting: for a lease to end, or for the next question.
describe('attacks on the network of a machine', { concurrency: 4 }, () => {
  for (const attack of networkAttacks)
    test(`${attack.name}: ${attack.limit}`, { skip: reasonToSkip }, async () => {
      const { problems, figures } = await runNetworkAttack(attack, true);
      assert.deepEqual(problems, []);
      assert.ok(figures !== undefined);
    });
});
