/** A piece of text, and the file that it is in. */
export interface FoundText {
  readonly path: string;
  readonly text: string;
}

/** The comments of a source, each on one line, without their marks. Lines with `//` that follow each other are one. */
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

/** The literals of a source that people read: messages of faults, and descriptions of commands and settings. */
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

/** So many of the texts, each at most once, in an order that the seed decides. */
export function draw<T>(texts: readonly T[], count: number, seed: number): T[] {
  const left = [...texts];
  const random = randomFrom(seed);
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [drawn] = left.splice(Math.floor(random() * left.length), 1);
    return drawn as T;
  });
}

/** The generator mulberry32: numbers from 0 to below 1. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
