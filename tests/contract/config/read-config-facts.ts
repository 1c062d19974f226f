import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const table = join(import.meta.dirname, '../facts/config-keys.txt');

/** The facts of one key in the table. */
export interface KeyFact {
  readonly path: string;
  readonly type: string;
  /** `required`, `always`, `replaced`. */
  readonly marks: readonly string[];
  /** The allowed words; empty when there is no such list. */
  readonly words: readonly string[];
}

/** Every key of every kind, in the order of the table. */
export function readConfigFacts(): ReadonlyMap<string, readonly KeyFact[]> {
  const facts = new Map<string, KeyFact[]>();
  let keys: KeyFact[] = [];
  for (const line of readFileSync(table, 'utf8').split('\n')) {
    if (line === '') continue;
    if (!line.startsWith('  ')) {
      keys = [];
      facts.set(line, keys);
      continue;
    }
    const [path = '', type = '', ...rest] = line.trim().split(' ');
    const words = rest.find((mark) => mark.startsWith('enum='))?.slice('enum='.length);
    keys.push({
      path,
      type,
      marks: rest.filter((mark) => !mark.startsWith('enum=')),
      words: words?.split('|') ?? [],
    });
  }
  return facts;
}
