// Random sequences of documents, of changes by others and of passes that end in the middle, on a kernel in memory that is held to the same
// cases as the real one (host/planned-links.property.test.ts).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkSequence, deviceAction } from '../testing/device-sequences.ts';
import { linkCases, Shorthand } from '../testing/link-conformance.ts';
import { type LinkAction, LinkBench, linkAction, performAll } from '../testing/link-sequences.ts';
import { sequenceRuns } from '../testing/sequence-runs.ts';
import { SimulatedLinks } from '../testing/simulated-links.ts';

function simulated(): SimulatedLinks {
  const kernel = new SimulatedLinks();
  for (const name of ['wire0', 'wire2', 'wire4', 'wire6']) kernel.addHardware(name);
  return kernel;
}

for (const { name, run } of linkCases)
  test(`the kernel in memory: ${name}`, () => run(new Shorthand(simulated())));

test('a member of a bond leaves it when a pass that was to remove the bond ended before its first step', () => {
  const want = (...members: readonly string[]): LinkAction => ({
    kind: 'want',
    choices: [
      {
        kinds: ['bond'],
        promised: [
          { name: 'bond0', kind: 'bond', isUp: true },
          ...members.map((name) => ({ name, isUp: true, master: 'bond0' })),
        ],
        document: {
          kind: 'BondConfig',
          value: {
            ...{ apiVersion: 'v1alpha1', kind: 'BondConfig', bondMode: 'active-backup', miimon: 100 },
            ...{ name: 'bond0', primary: 'wire6', links: members },
          },
        },
      },
    ],
  });
  const bench = new LinkBench(simulated());
  const pass = (steps: number): LinkAction => ({ kind: 'pass', steps });
  const nothing: LinkAction = { kind: 'want', choices: [] };
  const whole = pass(Number.POSITIVE_INFINITY);
  performAll(bench, [want('wire4', 'wire6'), pass(3), whole, nothing, pass(0), want('wire6')]);
  assert.deepEqual(bench.mistakes(), []);
});

const kinds = new Set(['vlan', 'bond', 'bridge', 'vrf', 'veth', 'dummy', 'wireguard']);
const { parts, options } = sequenceRuns(5, { short: 2000, long: 10_000 });

for (const part of parts)
  test(`links are as configured after any sequence, a second pass plans nothing, and what others made stays (${part} of ${parts.length})`, () => {
    fc.assert(
      fc.property(fc.array(linkAction(kinds), { maxLength: 12 }), (actions) => {
        const bench = new LinkBench(simulated());
        performAll(bench, actions);
        assert.deepEqual(bench.mistakes(), []);
        bench.wanted = [];
        bench.settle();
        assert.deepEqual(bench.mistakes(), []);
      }),
      options,
    );
  });

for (const part of parts)
  test(`aliases and features are as configured after any sequence, and as before when they are not configured any more (${part} of ${parts.length})`, () => {
    fc.assert(
      fc.property(fc.array(deviceAction, { maxLength: 12 }), (actions) =>
        checkSequence(simulated(), actions),
      ),
      options,
    );
  });
