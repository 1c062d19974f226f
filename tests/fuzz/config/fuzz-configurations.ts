import { SeededRandom } from '../seeded-random.ts';
import { makeCorpus } from './corpus.ts';
import { judge, type Verdict } from './judge.ts';
import { mutate } from './mutate.ts';

export interface FuzzFigures {
  readonly runs: number;
  readonly verdicts: Readonly<Record<Verdict, number>>;
  readonly characters: number;
  /** The longest processor time of one text, and that text's seed. */
  readonly slowest: { readonly seed: number; readonly milliseconds: number };
}

export interface FuzzInit {
  /** The first text has this seed, each further one the next number. */
  readonly seed: number;
  readonly runs: number;
  /** Aborts after the text in progress. */
  readonly until?: () => boolean;
  /** Called before each text. */
  readonly onRun?: (seed: number) => void;
  /** The most processor time for one text. */
  readonly maxMilliseconds: number;
}

/** A text that was not handled as required; `make test-config-fuzz SEED=<seed> RUNS=1` repeats it. */
export class FuzzFailure extends Error {
  readonly seed: number;

  constructor(seed: number, cause: unknown) {
    super(`seed ${seed}: ${String(cause)}`, { cause });
    this.seed = seed;
  }
}

/** The text of a seed. */
export function textOfSeed(seed: number, corpus: readonly string[]): string {
  return mutate(new SeededRandom(seed), corpus);
}

/** Tests many mutations of valid configurations. Throws FuzzFailure at the first that fails. */
export async function fuzzConfigurations(init: FuzzInit): Promise<FuzzFigures> {
  const { seed: first, runs, until, onRun, maxMilliseconds } = init;
  const corpus = await makeCorpus();
  const verdicts: Record<Verdict, number> = { refused: 0, read: 0, valid: 0 };
  let slowest = { seed: first, milliseconds: 0 };
  let characters = 0;
  let done = 0;
  for (; done < runs && !until?.(); done++) {
    const seed = first + done;
    onRun?.(seed);
    const text = textOfSeed(seed, corpus);
    characters += text.length;
    const started = process.threadCpuUsage();
    try {
      verdicts[judge(text)] += 1;
    } catch (error) {
      throw new FuzzFailure(seed, error);
    }
    const { user, system } = process.threadCpuUsage(started);
    const milliseconds = (user + system) / 1000;
    if (milliseconds > slowest.milliseconds) slowest = { seed, milliseconds };
    if (milliseconds > maxMilliseconds)
      throw new FuzzFailure(seed, `took ${Math.round(milliseconds)} ms for ${text.length} characters`);
  }
  return { runs: done, verdicts, characters, slowest };
}
