import { entriesOf, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';

/** Fields that tell the elements of a list apart; of an element, the first that is set. Every list of the schema with such a field has one here. */
export const identityFields: readonly string[] = [
  ...[
    'name',
    'id',
    'interface',
    'deviceSelector',
    'vlanId',
    'path',
    'mountPath',
    'mountpoint',
    'destination',
  ],
  ...[
    'device',
    'publicKey',
    'image',
    'slot',
    'url',
    'endpoint',
    'ip',
    'address',
    'link',
    'network',
    'subnet',
  ],
  ...['bgpInstance', 'containerID', 'crt', 'busPath', 'hardwareAddr', 'permanentAddr'],
];

/** More pairs than this are not compared with each other: only elements without an identity that changed need it. */
const maxComparisons = 10_000;

/**
 * Finds the elements of a changed list in the list before. Elements belong together when they are equal, when only they have their
 * identity, or when they share it or have none, and most of their fields are equal. Of equal elements those in the same order belong
 * together.
 *
 * @returns for each element its index in the list before; `undefined` for a new one
 */
export function matchElements(
  before: readonly YamlValue[],
  after: readonly YamlValue[],
): (number | undefined)[] {
  const matching = new Matching(before, after);
  matching.sameEnds();
  matching.byValue();
  matching.byIdentity();
  matching.bySimilarity();
  return matching.found;
}

class Matching {
  readonly found: (number | undefined)[];
  readonly #before: readonly YamlValue[];
  readonly #after: readonly YamlValue[];
  readonly #taken = new Set<number>();

  constructor(before: readonly YamlValue[], after: readonly YamlValue[]) {
    this.#before = before;
    this.#after = after;
    this.found = after.map(() => undefined);
  }

  /** Most changes are at one place, which the equal ends surround. */
  sameEnds(): void {
    const [before, after] = [this.#before.map(textOf), this.#after.map(textOf)];
    const most = Math.min(before.length, after.length);
    let head = 0;
    while (head < most && before[head] === after[head]) this.#take(head, head++);
    for (let tail = 1; head + tail <= most && before.at(-tail) === after.at(-tail); tail++)
      this.#take(after.length - tail, before.length - tail);
  }

  /** Matches equal elements, each with the next one in order if there is one. */
  byValue(): void {
    const places = new Map<string, Places>();
    for (const [at, item] of this.#before.entries()) {
      if (this.#taken.has(at)) continue;
      const key = textOf(item);
      const known = places.get(key);
      if (known === undefined) places.set(key, new Places(at));
      else known.add(at);
    }
    let last = -1;
    for (const [at, item] of this.#after.entries()) {
      const known = this.found[at];
      last = known ?? last;
      const place = known === undefined ? places.get(textOf(item))?.take(last) : undefined;
      if (place === undefined) continue;
      this.#take(at, place);
      last = place;
    }
  }

  /** Matches the elements whose identity only one of the rest has, here and before. */
  byIdentity(): void {
    const before = only(this.#candidates(this.#before, (at) => !this.#taken.has(at)));
    const after = only(this.#candidates(this.#after, (at) => this.found[at] === undefined));
    for (const [identity, { at }] of after) {
      const same = before.get(identity);
      if (same !== undefined) this.#take(at, same.at);
    }
  }

  bySimilarity(): void {
    const before = this.#candidates(this.#before, (at) => !this.#taken.has(at));
    const after = this.#candidates(this.#after, (at) => this.found[at] === undefined);
    if (before.length * after.length > maxComparisons) return;
    for (const { at, identity, fields } of after) {
      const shares = before.map((candidate) =>
        candidate.identity !== identity || this.#taken.has(candidate.at)
          ? 0
          : equalShare(candidate.fields, fields),
      );
      const best = Math.max(0, ...shares);
      const candidate = before[shares.indexOf(best)];
      if (best > 0.5 && candidate !== undefined) this.#take(at, candidate.at);
    }
  }

  #candidates(items: readonly YamlValue[], isFree: (at: number) => boolean): Candidate[] {
    return items.flatMap((item, at) =>
      isYamlMap(item) && isFree(at) ? [{ at, identity: identityOf(item), fields: fieldTexts(item) }] : [],
    );
  }

  #take(after: number, before: number): void {
    this.found[after] = before;
    this.#taken.add(before);
  }
}

/** The places of equal elements, in order. Taking all of them takes time in proportion to their number. */
class Places {
  readonly #later: number[];
  #at = 0;
  /** Those that were passed over. */
  readonly #earlier: number[] = [];
  #earlierAt = 0;

  constructor(first: number) {
    this.#later = [first];
  }

  add(place: number): void {
    this.#later.push(place);
  }

  /** The next place behind `last`, or else the first that is left; `undefined` when none is. */
  take(last: number): number | undefined {
    for (; this.#at < this.#later.length; this.#at += 1) {
      const place = this.#later[this.#at] as number;
      if (place > last) {
        this.#at += 1;
        return place;
      }
      this.#earlier.push(place);
    }
    const place = this.#earlier[this.#earlierAt];
    this.#earlierAt += 1;
    return place;
  }
}

/** An element that is not matched yet, with the text of each of its fields. */
interface Candidate {
  readonly at: number;
  readonly identity: string | undefined;
  readonly fields: ReadonlyMap<string, string>;
}

/** The candidates that share their identity with no other. */
function only(candidates: readonly Candidate[]): ReadonlyMap<string, Candidate> {
  const known = Map.groupBy(candidates, ({ identity }) => identity);
  return new Map(
    [...known].flatMap(([identity, [first, second]]) =>
      identity === undefined || first === undefined || second !== undefined ? [] : [[identity, first]],
    ),
  );
}

function fieldTexts(item: YamlMap): ReadonlyMap<string, string> {
  return new Map(entriesOf(item).map(([key, value]) => [key, textOf(value)]));
}

/** The share of the fields that are equal, from 0 to 1. */
function equalShare(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): number {
  const equal = [...a].filter(([key, text]) => b.get(key) === text).length;
  return equal / Math.max(a.size, b.size, 1);
}

function identityOf(item: YamlValue): string | undefined {
  if (!isYamlMap(item)) return undefined;
  for (const field of identityFields) {
    const value = Object.hasOwn(item, field) ? item[field] : undefined;
    if (value !== undefined && value !== null && value !== '') return `${field} ${textOf(value)}`;
  }
  // A manifest of Kubernetes.
  const metadata = Object.hasOwn(item, 'metadata') ? item.metadata : undefined;
  return isYamlMap(metadata) && typeof metadata.name === 'string' ? `manifest ${metadata.name}` : undefined;
}

/** Different for different values. */
function textOf(value: YamlValue): string {
  return JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? { bigint: String(part) } : part));
}
