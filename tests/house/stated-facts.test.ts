// What the documents say and a program can compare holds: paths, links, commands, lists of daemons, and numbers that constants decide.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandTable } from '../../cli/talosctl/src/program/command-table.ts';
import { missingCommandNames } from '../../cli/talosctl/src/program/unbuilt-commands.ts';
import { findUntruths, type World } from './documents/find-untruths.ts';
import { statements } from './documents/statements.ts';

const checkout = join(import.meta.dirname, '..', '..');

/** Documents that tell what was, or that name what tests make up. */
const histories = ['CHANGELOG.md', 'tests/mended-faults.md', 'tests/first-contact.md'];
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: checkout, encoding: 'utf8' })
  .trim()
  .split('\n')
  .filter((path) => !histories.includes(path));

const phony = () =>
  [...readFileSync(join(checkout, 'Makefile'), 'utf8').matchAll(/^\.PHONY:(.*)$/gm)].flatMap(
    ([, names = '']) => names.trim().split(/\s+/),
  );

const world: World = {
  hasPath: (path) =>
    path === '' ||
    (path.includes('*') ? globSync(path, { cwd: checkout }).length > 0 : existsSync(join(checkout, path))),
  textOf: (path) =>
    existsSync(join(checkout, path)) ? readFileSync(join(checkout, path), 'utf8') : undefined,
  roots: new Set(readdirSync(checkout).filter((name) => !['_out', 'node_modules'].includes(name))),
  makeTargets: new Set(phony()),
  verbs: new Set([
    ...commandTable.flatMap(({ name, aliases }) => [name, ...aliases]),
    ...missingCommandNames,
    ...['help', 'completion'],
  ]),
  daemons: ['apid', 'trustd', 'udevd-bridge', 'registryd'],
  // It runs as root beside udevd, and the others in containers of their own.
  apart: 'udevd-bridge',
  statements,
};

test('what documents say of paths, links, commands, daemons and numbers is so', () => {
  assert.ok(documents.length > 50, `${documents.length} documents`);
  assert.ok(statements.length > 20, `${statements.length} statements`);
  assert.deepEqual(
    documents.flatMap((document) => findUntruths(document, world)),
    [],
  );
});

test('a constant, a path, a verb, a missing daemon and a dead link are found', () => {
  const planted: readonly (readonly [sentence: string, found: RegExp])[] = [
    ['A connection ends after 11 s.', /^D\.md: 11 of .* is 10 in the code$/],
    [
      'See `services/apid/src/nothing.ts`.',
      /^D\.md: the path services\/apid\/src\/nothing\.ts does not exist$/,
    ],
    ['Run `make nothing` and wait.', /^D\.md: make nothing is no target$/],
    ['```sh\nbin/talosctl nothing -n node01\n```', /^D\.md: talosctl nothing is no command$/],
    ['It starts `apid`, `udevd-bridge` and `registryd`.', /leaves out trustd$/],
    ['Read [this](docs/nothing.md).', /^D\.md: the link docs\/nothing\.md leads nowhere$/],
    [
      'Read [that](README.md#nothing-at-all).',
      /^D\.md: the link README\.md#nothing-at-all leads to no heading$/,
    ],
  ];
  for (const [sentence, found] of planted) {
    const truth = 'A connection ends after 10 s. '.repeat(sentence.includes('11 s') ? 0 : 1);
    const lines = findUntruths('D.md', {
      ...world,
      textOf: (path) => (path === 'D.md' ? `${truth}\n\n${sentence}\n` : world.textOf(path)),
      statements: [{ document: 'D.md', says: /ends after (\d+) s/, value: 10 }],
    });
    assert.equal(lines.length, 1, `${sentence} ${lines}`);
    assert.match(lines[0] ?? '', found);
  }
});

test('what is right is not found', () => {
  const text = `# A title, with \`code\`

\`services/apid/src/*\`, \`make test\`, [here](#a-title-with-code), [there](README.md), \`apid\` and \`trustd\`.
machined, apid, udevd-bridge, registryd and (on control planes) trustd. A service that was never said to be complete: \`apid\`, \`trustd\`.

\`\`\`sh
make test && bin/talosctl version
\`\`\`
`;
  const lines = findUntruths('D.md', {
    ...world,
    textOf: (path) => (path === 'D.md' ? text : world.textOf(path)),
    hasPath: (path) => path === 'D.md' || world.hasPath(path),
    statements: [],
  });
  assert.deepEqual(lines, []);
});
