import { draw } from '../sample-text/texts.ts';
import { type Fault, findFaults } from './find-faults.ts';
import { isGenerated } from './mutable-files.ts';
import { parseSources } from './parse-sources.ts';

export interface ChoiceInit {
  /** The files in which faults may be planted, sorted. */
  readonly files: readonly string[];
  readonly read: (file: string) => string;
  readonly count: number;
  readonly seed: number;
  /** Restricts the faults to lines, such as those that a change touched. */
  readonly mayChange?: (file: string, line: number) => boolean;
}

/** A file gets a ticket for so many characters, so that its share of the faults is that of its size. */
const ticketCharacters = 1000;
/** So many files are drawn for each fault: some have no logic. */
const spare = 3;

/** Draws faults, each at most once. The same seed and the same files give the same faults. */
export function chooseFaults({ files, read, count, seed, mayChange = () => true }: ChoiceInit): Fault[] {
  const texts = new Map(files.map((file) => [file, read(file)]));
  const tickets = files.flatMap((file) =>
    Array(Math.ceil((texts.get(file)?.length ?? 0) / ticketCharacters)).fill(file),
  );
  const drawn = draw<string>(tickets, count * spare, seed);
  const chosen = new Set(drawn.filter((file) => !isGenerated(texts.get(file) ?? '')));
  using parsed = parseSources(new Map([...chosen].map((file) => [file, texts.get(file) ?? ''])));
  const left = new Map(
    [...chosen].map((file) => [
      file,
      findFaults(file, parsed.treeOf(file)).filter(({ line }) => mayChange(file, line)),
    ]),
  );
  const faults: Fault[] = [];
  // Where there are few files, each is drawn from several times.
  for (
    let index = 0;
    faults.length < count && [...left.values()].some(({ length }) => length > 0);
    index += 1
  ) {
    const file = drawn[index % drawn.length] ?? '';
    const [fault] = draw(left.get(file) ?? [], 1, seed + index + 1);
    if (fault === undefined) continue;
    left.set(
      file,
      (left.get(file) ?? []).filter((one) => one !== fault),
    );
    faults.push(fault);
  }
  return faults;
}
