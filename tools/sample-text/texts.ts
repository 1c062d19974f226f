/** A text and the file that contains it. */
export interface FoundText {
  readonly path: string;
  readonly text: string;
}

/**
 * The comments of a source file, each on one line and without comment marks. Consecutive `//` lines are one
 * comment.
 */
export function commentsOf({ path, text }: FoundText): FoundText[] {
  const blocks = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\//g)].map(([, body = '']) =>
    body.replace(/^\s*\* ?/gm, ''),
  );
  const lines = [...text.matchAll(/(?:^[ \t]*\/\/ .*\n)+/gm)].map(([all]) =>
    all.replace(/^[ \t]*\/\/ /gm, ''),
  );
  return [...blocks, ...lines]
    .map((comment) => comment.replace(/\s+/g, ' ').trim())
    .filter((comment) => comment.includes(' ') && !comment.startsWith('biome-ignore'))
    .map((comment) => ({ path, text: comment }));
}

/**
 * The literals of a source that users read: messages of faults, and descriptions of commands and settings.
 */
export function userTextsOf({ path, text }: FoundText): FoundText[] {
  const literal = String.raw`(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|${'`'}((?:[^${'`'}\\]|\\.)*)${'`'})`;
  const places = [
    String.raw`new Fault\(\s*'[a-z-]+',\s*`,
    String.raw`\b(?:description|summary):\s*`,
    String.raw`\.(?:option|argument)\(\s*'[^']*',\s*`,
  ];
  const pattern = new RegExp(`(?:${places.join('|')})${literal}`, 'g');
  return [...text.matchAll(pattern)]
    .map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\s+/g, ' '))
    .filter((message) => message.includes(' '))
    .map((message) => ({ path, text: message }));
}

/** Picks up to `count` of the texts, each at most once, in an order that depends on the seed. */
export function draw<T>(texts: readonly T[], count: number, seed: number): T[] {
  const left = [...texts];
  const random = randomFrom(seed);
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [drawn] = left.splice(Math.floor(random() * left.length), 1);
    return drawn as T;
  });
}

/** The generator mulberry32: numbers in [0, 1). */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
