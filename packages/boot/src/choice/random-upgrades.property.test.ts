import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Counts, type MachineEvent, natures, SimulatedMachine } from '../testing/simulated-machine.ts';

const sequences = { ordinary: 10_000, faulty: 4000 };

const nature = fc.constantFrom(...natures, 'sound' as const);
const kind = <const T extends string>(...kinds: T[]) => fc.record({ kind: fc.constantFrom(...kinds) });
const ordinary: fc.Arbitrary<MachineEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('upgrade' as const), nature }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('stage' as const), nature }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('restart' as const), canKexec: fc.boolean() }) },
  { weight: 7, arbitrary: kind('rollback', 'time passes', 'time passes', 'power cut') },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('menu' as const), slot: fc.constantFrom('A', 'B') }),
  },
);
/** One of the two: a machine that loses both knows nothing any more. */
const withFault = (fault: 'META is lost' | 'the choice is lost') =>
  fc.oneof({ weight: 6, arbitrary: ordinary }, { weight: 1, arbitrary: kind(fault) });

/** An event, and the number of writes after which the power fails. */
const withCut = (event: fc.Arbitrary<MachineEvent>) =>
  fc.tuple(event, fc.option(fc.nat(9), { nil: undefined, freq: 2 }));

async function run(
  withoutChoice: 'first' | 'newest',
  events: readonly (readonly [MachineEvent, number | undefined])[],
  counts: Counts,
): Promise<void> {
  const machine = new SimulatedMachine({ withoutChoice, counts });
  await machine.powerOn();
  for (const [event, cut] of events) await machine.happens(event, cut);
  await machine.settle();
  machine.check();
}

function testSequences(
  title: string,
  numRuns: number,
  events: readonly fc.Arbitrary<MachineEvent>[],
  wanted: readonly string[],
): void {
  test(title, async () => {
    const counts: Counts = new Map();
    const withoutChoice = fc.constantFrom('first', 'newest');
    const lists = events.map((event) => fc.array(withCut(event), { minLength: 1, maxLength: 14 }));
    await fc.assert(
      fc.asyncProperty(withoutChoice, fc.oneof(...lists), (loader, given) => run(loader, given, counts)),
      { numRuns },
    );
    for (const what of wanted) assert.ok((counts.get(what) ?? 0) >= 20, `${what}: ${counts.get(what)}`);
  });
}

const usual = [
  ...['power failed between two writes', 'a trial was confirmed', 'a system stopped by itself'],
  ...['a start: trial', 'a start: by hand', 'a staged upgrade began', 'an upgrade was refused'],
  ...natures.map((one) => `upgraded to one that is ${one}`),
];

testSequences(
  'random upgrades with power cuts never leave a default that is not proven, and end on one whole system',
  sequences.ordinary,
  [ordinary],
  usual,
);

testSequences(
  'random upgrades of machines that lose META or the choice of their loader end on one whole system',
  sequences.faulty,
  [withFault('META is lost'), withFault('the choice is lost')],
  usual,
);
