import { setTimeout as sleep } from 'node:timers/promises';
import { type MachineFigures, openBench } from './attack-bench.ts';
import type { NetworkAttack } from './network-attack.ts';

/** An attack on a machine with its figures. */
export interface NetworkRow {
  readonly attack: NetworkAttack;
  readonly counts: Readonly<Record<string, number>>;
  readonly seconds: number;
  readonly figures: MachineFigures | undefined;
  /** The expectations that did not hold; empty when all did. */
  readonly problems: readonly string[];
}

/** After an attack, so that what it has begun is in its figures. */
const settleMs = 1000;

/** How much more memory a machine may use. */
const usualGrowthMb = 96;

/** Runs an attack on a network of its own, which ends with it. */
export async function runNetworkAttack(attack: NetworkAttack, isShort: boolean): Promise<NetworkRow> {
  const startMs = performance.now();
  await using scope = new AsyncDisposableStack();
  const { bench, figures } = await openBench(scope, {
    ...{ isShort, mostGrowthMb: attack.mostGrowthMb ?? usualGrowthMb },
  });
  const seconds = () => (performance.now() - startMs) / 1000;
  try {
    const { counts, problems } = await attack.run(bench);
    await sleep(settleMs);
    const of = await figures();
    return { attack, counts, seconds: seconds(), figures: of, problems: [...problems, ...of.problems] };
  } catch (error) {
    const problems = [(error as Error).message];
    return { attack, counts: {}, seconds: seconds(), figures: undefined, problems };
  }
}
