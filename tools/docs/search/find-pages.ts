// The search of the documentation: runs in the browser over the index that `make docs` writes, without a server.
import { questionWords, stemOf, wordDistance, wordsOf } from './search-words.ts';
import { phrases, questionPhrases, sameWords, synonyms } from './synonyms.ts';

/** A heading of a page with the text below it. */
export interface SearchSection {
  /** Without `#`. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

export interface SearchPage {
  /** The file: `command-etcd.html`. */
  readonly address: string;
  readonly title: string;
  readonly group: string;
  /** How much a match in this page counts: 1 for most guides, less for generated reference. */
  readonly weight: number;
  readonly sections: readonly SearchSection[];
}

/** A page that may answer, with its section that fits best. */
export interface SearchResult {
  /** `command-etcd.html#talosctl-etcd-members`. */
  readonly address: string;
  readonly page: string;
  readonly group: string;
  readonly heading: string;
  readonly text: string;
}

interface Section {
  readonly page: SearchPage;
  readonly source: SearchSection;
  readonly headingWords: ReadonlySet<string>;
  /** The whole title and the whole heading, as they are and as words. */
  readonly names: ReadonlySet<string>;
  readonly titleWords: ReadonlySet<string>;
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** One word of the question, and each word of the pages that answers it with how well, from 0 to 1. */
type Meaning = ReadonlyMap<string, number>;

// A title counts most, then a heading, then the text.
const titlePoints = 4;
const headingPoints = 5;
const textPoints = 2;
/** A heading that is the question itself, such as the name of a command, comes before pages about it. */
const exactFactor = 1.8;
// How well a word answers that is not the word itself.
const sameWordFit = 0.9;
const synonymFit = 0.55;
const typingErrorFit = 0.8;
const beginningFit = 0.7;
/** A text has said a word often enough; more often is hardly more. This is k1 of Okapi BM25. */
const enough = 1.2;
/** Words that are not shorter than this may have so many typing errors. */
const allowedErrors: readonly (readonly [length: number, errors: number])[] = [
  [8, 2],
  [4, 1],
];

/** Questions are cut off here, in characters and in words. */
export const questionLimits = { characters: 200, words: 12 } as const;

export interface PageSearch {
  /** The pages that may answer, the best first, at most `count`. Each word of the question counts, none is required. */
  find(question: string, count: number): SearchResult[];
}

/** Prepares the search: reads each text of the index once. */
export function createPageSearch(pages: readonly SearchPage[]): PageSearch {
  const textWords = createTextWords();
  const sections = pages.flatMap((page) => sectionsOf(page, textWords));
  /** The sections with each word. */
  const places = new Map<string, Section[]>();
  for (const section of sections)
    for (const word of new Set([...section.counts.keys(), ...section.headingWords, ...section.titleWords]))
      listOf(places, word).push(section);
  const averageLength = sections.reduce((sum, { length }) => sum + length, 0) / Math.max(1, sections.length);
  const relations = relationsOf();
  /** A word in few sections says more than one in many. */
  const rarity = (word: string) => {
    const found = places.get(word)?.length ?? 0;
    return Math.log(1 + (sections.length - found + 0.5) / (found + 0.5));
  };

  return {
    find(question, count) {
      const lower = question.slice(0, questionLimits.characters).toLowerCase();
      const asked = lower.trim();
      const short = joined(joined(lower, phrases), questionPhrases);
      const words = questionWords(short).slice(0, questionLimits.words);
      const meanings = words.map((word, index) =>
        meaningOf(word, index === words.length - 1, places, relations),
      );
      const weights = meanings.map((meaning) => Math.max(0.5, ...weightsOf(meaning, rarity)));
      const whole = words.join(' ');
      const best = new Map<SearchPage, { section: Section; points: number }>();
      const found = new Set(
        meanings.flatMap((meaning) => [...meaning.keys()].flatMap((word) => places.get(word) ?? [])),
      );
      for (const section of found) {
        const points =
          pointsOf(section, meanings, weights, averageLength) *
          (section.names.has(whole) || section.names.has(asked) ? exactFactor : 1);
        if (points > (best.get(section.page)?.points ?? 0)) best.set(section.page, { section, points });
      }
      return [...best.values()]
        .sort((one, other) => other.points - one.points)
        .slice(0, count)
        .map(({ section: { page, source } }) => ({
          address: `${page.address}#${source.anchor}`,
          page: page.title,
          group: page.group,
          heading: source.heading,
          text: source.text,
        }));
    },
  };
}

type TextWords = (text: string) => string[];

/** The words of texts. A text has few different ones: each is cut and shortened once. */
function createTextWords(): TextWords {
  const known = new Map<string, readonly string[]>();
  const rows = phrases.map(([pattern, word]) => [new RegExp(pattern, 'gi'), `$& ${word}`] as const);
  return (text) =>
    joined(text, rows)
      .split(/[^\p{L}\p{N}\-_.]+/u)
      .flatMap((token) => {
        const words = known.get(token) ?? wordsOf(token);
        known.set(token, words);
        return words;
      });
}

function listOf(lists: Map<string, Section[]>, word: string): Section[] {
  const list = lists.get(word) ?? [];
  lists.set(word, list);
  return list;
}

function sectionsOf(page: SearchPage, textWords: TextWords): Section[] {
  const title = textWords(page.title);
  const titles = [title.join(' '), page.title.toLowerCase()];
  const titleWords = new Set(title.concat(textWords(page.sections[0]?.heading ?? '')));
  return page.sections.map((source, index) => {
    const words = textWords(source.text);
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    const heading = textWords(source.heading.replace(/^talosctl /, ''));
    return {
      page,
      source,
      titleWords,
      headingWords: new Set(heading),
      names: new Set([heading.join(' '), source.heading.toLowerCase(), ...(index === 0 ? titles : [])]),
      counts,
      length: words.length,
    };
  });
}

/** For each word those of the tables that answer for it, and how well. */
function relationsOf(): ReadonlyMap<string, Meaning> {
  const relations = new Map<string, Map<string, number>>();
  const tables = [[synonyms, synonymFit] as const, [sameWords, sameWordFit] as const];
  for (const [rows, fit] of tables)
    for (const row of rows) {
      const words = row.split(' ').map((word) => stemOf(word.replaceAll(/[-.]/g, '')));
      for (const word of words) {
        const known = relations.get(word) ?? new Map();
        for (const other of words) if (other !== word) known.set(other, fit);
        relations.set(word, known);
      }
    }
  return relations;
}

/** Writes several words that mean one thing as one. */
const joined = (text: string, rows: typeof phrases) =>
  rows.reduce((before, [pattern, word]) => before.replaceAll(pattern, word), text);

function meaningOf(
  word: string,
  isLast: boolean,
  known: ReadonlyMap<string, readonly Section[]>,
  relations: ReadonlyMap<string, Meaning>,
): Meaning {
  const meaning = new Map<string, number>();
  const add = (other: string, fit: number) => {
    if (known.has(other) && fit > (meaning.get(other) ?? 0)) meaning.set(other, fit);
  };
  const addWithSynonyms = (other: string, fit: number) => {
    add(other, fit);
    for (const [related, how] of relations.get(other) ?? []) add(related, fit * how);
  };
  addWithSynonyms(word, 1);
  // The last word may not be complete yet.
  if (isLast && word.length >= 2)
    for (const other of known.keys()) if (other.startsWith(word)) add(other, beginningFit);
  if (meaning.size > 0) return meaning;
  for (const other of nearWords(word, [...known.keys(), ...relations.keys()]))
    addWithSynonyms(other, typingErrorFit);
  return meaning;
}

/** The words with the fewest typing errors in `word`, when they have few enough. */
function nearWords(word: string, known: readonly string[]): string[] {
  const limit = allowedErrors.find(([length]) => word.length >= length)?.[1] ?? 0;
  let least = limit;
  let near: string[] = [];
  if (limit === 0) return near;
  for (const other of known) {
    if (other.length < 3) continue;
    const distance = wordDistance(word, other, least);
    if (distance > least) continue;
    if (distance < least) near = [];
    least = distance;
    near.push(other);
  }
  // People rarely mistype the first letter.
  const sameStart = near.filter((other) => other[0] === word[0]);
  return sameStart.length > 0 ? sameStart : near;
}

const weightsOf = (meaning: Meaning, rarity: (word: string) => number) =>
  [...meaning].filter(([, fit]) => fit >= typingErrorFit).map(([word]) => rarity(word));

function pointsOf(
  { page, counts, headingWords, titleWords, length }: Section,
  meanings: readonly Meaning[],
  weights: readonly number[],
  averageLength: number,
): number {
  let sum = 0;
  let covered = 0;
  let total = 0;
  for (const [index, meaning] of meanings.entries()) {
    const weight = weights[index] as number;
    let points = 0;
    let fitting = 0;
    for (const [word, fit] of meaning) {
      const times = counts.get(word) ?? 0;
      const text = times / (times + enough * (0.5 + (0.5 * length) / averageLength));
      const here =
        fit *
        ((titleWords.has(word) ? titlePoints : 0) +
          (headingWords.has(word) ? headingPoints : 0) +
          textPoints * text);
      if (here > 0 && fit > fitting) fitting = fit;
      if (here > points) points = here;
    }
    sum += weight * points;
    covered += weight * fitting;
    total += weight;
  }
  // A section with each of the words is worth far more than one with one of them often.
  const share = total === 0 ? 0 : covered / total;
  return sum * share ** 2 * page.weight;
}
