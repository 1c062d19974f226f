// What the selectors of documents have matched, so that an alias neither goes nor changes all the time.
import type { Selection } from '@nodewright/machine-config/selectors';
import type { AliasDocument } from './link-aliases.ts';
import { shownName } from './link-plan/shown-name.ts';

interface RememberedSelection {
  readonly expression: string;
  readonly selected: readonly string[];
  /** What it matched before; undefined until that changes. */
  readonly previous: readonly string[] | undefined;
  readonly changedMs: number;
  /** How often it has come back to what it matched before, each time soon after the last change. */
  readonly returns: number;
  /** Until then the links stay, whatever the selector matches. */
  readonly heldUntilMs: number;
  /** How long it is held the next time. */
  readonly holdMs: number;
  /** Of the last evaluation. */
  readonly problem: string | undefined;
}

/** A cable that is pulled and put back changes what a selector matches, too, but not so often. */
const mostReturns = 4;
/** A change so long after the last one does not belong to a series. */
const calmMs = 600_000;
const holdsMs = { first: 600_000, longest: 3_600_000 } as const;

/**
 * The last links of each document, by the name of the document. A selector that depends on what its alias configures, such as the MTU, would match
 * and not match for ever: its links are kept for a while, longer each time.
 */
export class SelectionMemory {
  readonly #byName = new Map<string, RememberedSelection>();

  keepOnly(documents: readonly AliasDocument[]): void {
    const expressions = new Map(documents.map((document) => [document.name, document.expression]));
    for (const [name, { expression }] of this.#byName)
      if (expressions.get(name) !== expression) this.#byName.delete(name);
  }

  /** The links of a document that needs no evaluation now; undefined for one that does. */
  held({ name }: AliasDocument, present: ReadonlySet<string>, nowMs: number): Selection | undefined {
    const known = this.#byName.get(name);
    if (known === undefined || nowMs >= known.heldUntilMs) return undefined;
    return { selected: known.selected.filter((link) => present.has(link)) };
  }

  /** When the next document that is held may be evaluated, in monotonic ms; undefined while none is. */
  nextMs(nowMs: number): number | undefined {
    const held = [...this.#byName.values()].map(({ heldUntilMs }) => heldUntilMs).filter((ms) => ms > nowMs);
    return held.length === 0 ? undefined : Math.min(...held);
  }

  /** The selection, or the last one of the same selector that is known while it has a problem, or changes all the time. */
  settle(
    { name, expression }: AliasDocument,
    selection: Selection,
    { present, nowMs }: { readonly present: ReadonlySet<string>; readonly nowMs: number },
  ): Selection {
    const known = this.#byName.get(name);
    if (!('selected' in selection)) {
      if (known === undefined) return selection;
      this.#byName.set(name, { ...known, problem: selection.problem });
      return { selected: known.selected.filter((link) => present.has(link)) };
    }
    const next = changed(known, expression, selection.selected, nowMs);
    this.#byName.set(name, next);
    return { selected: next.selected.filter((link) => present.has(link)) };
  }

  /** Why documents keep their links, one line each. */
  problems(nowMs: number): string[] {
    return [...this.#byName].flatMap(([name, { problem, heldUntilMs, selected }]) => {
      const start = `alias ${shownName(name)}:`;
      if (heldUntilMs > nowMs)
        return [
          `${start} what its selector matches changes again and again, as if it asked for what the alias configures; ${selected.join(', ')} keeps the alias for now`,
        ];
      return problem === undefined ? [] : [`${start} ${problem}`];
    });
  }
}

function changed(
  known: RememberedSelection | undefined,
  expression: string,
  selected: readonly string[],
  nowMs: number,
): RememberedSelection {
  const quiet = { heldUntilMs: Number.NEGATIVE_INFINITY, returns: 0, holdMs: holdsMs.first };
  if (known === undefined)
    return {
      ...quiet,
      ...{ expression, selected, previous: undefined, changedMs: nowMs, problem: undefined },
    };
  if (isSame(selected, known.selected)) return { ...known, problem: undefined };
  // While it is held, its links cannot change.
  const lastMs = Math.max(known.changedMs, known.heldUntilMs);
  const isSoon = nowMs - lastMs < calmMs;
  const isReturn = isSoon && known.previous !== undefined && isSame(selected, known.previous);
  const next = {
    ...known,
    ...{ selected, previous: known.selected, changedMs: nowMs, problem: undefined },
    ...(isSoon ? {} : quiet),
    returns: isReturn ? known.returns + 1 : isSoon ? known.returns : 0,
  };
  if (next.returns < mostReturns) return next;
  return {
    ...next,
    // Of the two, the one with which the configuration acts.
    ...(selected.length === 0 && known.selected.length > 0
      ? { selected: known.selected, previous: selected }
      : {}),
    heldUntilMs: nowMs + known.holdMs,
    holdMs: Math.min(2 * known.holdMs, holdsMs.longest),
    // The first change after that is looked at once more.
    returns: mostReturns - 2,
  };
}

const isSame = (a: readonly string[], b: readonly string[]) => a.join('\n') === b.join('\n');
