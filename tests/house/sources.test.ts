// Every source that a comment cites has a row in docs/sources.md, and every row is cited.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');

interface Citation {
  readonly file: string;
  /** Matches the text after the keyword, up to the next keyword or the end of the comment. */
  readonly text: string;
}

interface Row {
  /** The beginnings of citations that belong to the row. */
  readonly names: readonly string[];
  readonly addresses: string;
}

/** Matches block comments, consecutive `//` lines, and comments behind code. */
const commentPattern =
  /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*(?:\n|$))+|[ \t]\/\/[ \t].*$|[ \t]\/\*.*?\*\//gm;

/** The comments of a source text, each as one line without comment marks. */
function commentsOf(source: string): string[] {
  return [...source.matchAll(commentPattern)].map(([comment]) =>
    comment
      .replaceAll(/^[ \t]*(?:\/\*+|\*\/|\*|\/\/+)|\*\/\s*$/gm, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );
}

function citationsOf(source: string): string[] {
  return commentsOf(source).flatMap((comment) => comment.split(/\bSource: /).slice(1));
}

/**
 * The rows of both tables. The names in the first table omit the words with which all of its citations begin.
 */
function rowsOf(document: string): Row[] {
  return document.split(/^## /m).flatMap((section) => {
    const prefix = section.startsWith('Talos v1.14\n') ? 'Talos v1.14: ' : '';
    return [...section.matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm)].map(([, names = '', addresses = '']) => ({
      names: [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => `${prefix}${name}`),
      addresses,
    }));
  });
}

/** Whether the citation is the name, or the name followed by a part of that source. */
function beginsWith(citation: string, name: string): boolean {
  return citation.startsWith(name) && /^(?:$|[,;:.](?:\s|$)|\/)/.test(citation.slice(name.length));
}

const files = globSync(
  ['{packages,services,cli,tests,tools,rootfs}/**/*.ts', '{packages,proto}/**/*.proto'],
  {
    cwd: checkout,
    exclude: (path) => path.endsWith('node_modules'),
  },
).sort();

const citations: Citation[] = files.flatMap((file) =>
  citationsOf(readFileSync(join(checkout, file), 'utf8')).map((text) => ({ file, text })),
);

const rows = rowsOf(readFileSync(join(checkout, 'docs', 'sources.md'), 'utf8'));
const names = rows.flatMap((row) => row.names);

/** The longest name with which a citation begins: `machine configuration, patches` has a row of its own. */
function nameOf({ text }: Citation): string | undefined {
  const fitting = names.filter((name) => beginsWith(text, name));
  return fitting.sort((left, right) => right.length - left.length)[0];
}

test('citations are read only from comments, and across line ends', () => {
  const source = [
    '/**',
    ' * A fact. Source: Talos v1.14:',
    ' * edit.',
    ' */',
    '// Another fact. Source: RFC 9113, section 7.',
    "const message = 'Source: nowhere';",
    "bind({ Source: '/var', Target: '/opt' });",
    '/** Source: proc(5). */',
  ].join('\n');
  assert.deepEqual(citationsOf(source), ['Talos v1.14: edit.', 'RFC 9113, section 7.', 'proc(5).']);
});

test('every source that a comment cites is in docs/sources.md', () => {
  const unknown = citations.filter((citation) => nameOf(citation) === undefined);
  assert.deepEqual(
    unknown.map(({ file, text }) => `${file}: ${text.slice(0, 100)}`),
    [],
    'add a row to docs/sources.md, or cite a source that has one',
  );
  assert.ok(
    files.length > 1000 && citations.length > 500,
    `${files.length} files, ${citations.length} citations`,
  );
});

test('every row of docs/sources.md is cited', () => {
  const cited = new Set(citations.map(nameOf));
  const dead = names.filter((name) => !cited.has(name));
  assert.deepEqual(dead, [], 'no comment begins a citation with these names');
  assert.ok(rows.length > 100, `${rows.length} rows`);
});

test('every row of docs/sources.md has unique names and a public address', () => {
  const repeated = names.filter((name, index) => names.indexOf(name) !== index);
  assert.deepEqual(repeated, []);
  const unreachable = rows.filter(({ addresses }) => !/\]\(https:\/\/[^\s)]+\)/.test(addresses));
  assert.deepEqual(unreachable, []);
});
