// Every path that the contributor documents name must exist.
import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const checkout = join(import.meta.dirname, '..', '..');
const machined = 'services/machined/src';

const textOf = (document: string) => readFileSync(join(checkout, document), 'utf8');
const isThere = (path: string) => existsSync(join(checkout, path));

test('every path that CONTRIBUTING.md names exists', () => {
  const named = [...textOf('CONTRIBUTING.md').matchAll(/`([\w.-]+(?:\/[\w.-]+)+\/?)`/g)].map(
    ([, path = '']) => path,
  );
  assert.ok(named.length > 30, String(named.length));
  // Paths in the last columns are relative to the sources of machined.
  assert.deepEqual(
    named.filter((path) => !isThere(path) && !isThere(join(machined, path))),
    [],
  );
});

test('every link between the documents leads to a file', () => {
  const documents = globSync(
    ['*.md', 'docs/**/*.md', '{packages,services,cli,tests,tools,images,rootfs}/**/README.md'],
    { cwd: checkout, exclude: (name) => name === 'node_modules' },
  );
  assert.ok(documents.length > 40, String(documents.length));
  for (const document of documents) {
    const links = [...textOf(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(
      ([, link = '']) => normalize(join(dirname(document), link)),
    );
    assert.deepEqual(
      links.filter((link) => !isThere(link)),
      [],
      document,
    );
  }
});

test('README.md and CONTRIBUTING.md link to the other documents', () => {
  assert.match(textOf('README.md'), /\(CONTRIBUTING\.md\)/);
  assert.match(textOf('CONTRIBUTING.md'), /\(docs\/decisions\/README\.md\)/);
  assert.match(textOf('ARCHITECTURE.md'), /\(docs\/sources\.md\)/);
});

/** As wc(1) counts them. */
const wordsOf = (document: string) =>
  textOf(document)
    .split(/\s+/)
    .filter((word) => word !== '').length;

test('SPEC.md has ten promises in at most 1,200 words, each with a verb of the Makefile', () => {
  assert.ok(wordsOf('SPEC.md') <= 1200, `${wordsOf('SPEC.md')} words`);
  const promises = textOf('SPEC.md').split(/^## /m).slice(1);
  assert.deepEqual(
    promises.map((promise) => Number.parseInt(promise, 10)),
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
  );
  const verbs = new Set(
    [...textOf('Makefile').matchAll(/^([a-z][a-z0-9-]*):.*## /gm)].map(([, verb]) => verb),
  );
  for (const promise of promises) {
    const commands = [...promise.matchAll(/^ {4}make ([a-z0-9-]+)$/gm)].map(([, verb]) => verb);
    assert.ok(commands.length > 0, promise);
    assert.deepEqual(
      commands.filter((verb) => !verbs.has(verb)),
      [],
    );
  }
});

test('each decision fits one screen: 60 lines of 120 characters', () => {
  const decisions = globSync('docs/decisions/*.md', { cwd: checkout });
  assert.ok(decisions.length > 5);
  const linesOf = (document: string) =>
    textOf(document)
      .trimEnd()
      .split('\n')
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 120)), 0);
  assert.deepEqual(
    decisions.filter((document) => linesOf(document) > 60),
    [],
  );
});

test('ARCHITECTURE.md has a picture and ten rows in at most 1,500 words', () => {
  assert.ok(wordsOf('ARCHITECTURE.md') <= 1500, `${wordsOf('ARCHITECTURE.md')} words`);
  const [, parts = ''] = /^## The parts\n([\s\S]*?)(?=^## )/m.exec(textOf('ARCHITECTURE.md')) ?? [];
  // Two lines are the head of the table.
  assert.equal(parts.match(/^\| /gm)?.length, 12);
  assert.match(textOf('ARCHITECTURE.md'), /^```\n[^`]*apid :50000/m);
});

/** The names in backticks in the first cell of each row. */
const namesIn = (document: string) =>
  new Set(
    [...textOf(document).matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
    ),
  );

test('packages/README.md and tools/README.md have a row for each folder, and for each program of tools', () => {
  const inFolder = (folder: string) =>
    readdirSync(join(checkout, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() || /(?<!\.test)\.ts$/.test(entry.name))
      .map(({ name }) => name);
  for (const folder of ['packages', 'tools'])
    assert.deepEqual([...namesIn(`${folder}/README.md`)].sort(), inFolder(folder).sort());
});

test('each how-to ends with how to undo it, and is in the list of its folder', () => {
  const howTos = globSync('docs/how-to/*.md', { cwd: checkout }).filter(
    (path) => !path.endsWith('README.md'),
  );
  assert.ok(howTos.length > 5);
  const list = textOf('docs/how-to/README.md');
  for (const path of howTos) {
    const text = textOf(path);
    const last = text.split(/^(?=## )/m).at(-1) ?? '';
    // What is not run makes no cluster here.
    const isRun = !text.includes('<!-- needs: outside -->');
    assert.match(last, isRun ? /^## Undo it\n[\s\S]*cluster destroy/ : /^## Undo it\n/, path);
    assert.ok(list.includes(`(${path.slice('docs/how-to/'.length)})`), path);
  }
});
