// The limits that programs declare, of which `make generate` makes docs/limits.md: each is attacked by a test that exists, and the files
// that declare them have no other numbers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { limitSections, limitsOf, limitsPage, parseAttackedBy } from '../../tools/limits-page.ts';

const checkout = join(import.meta.dirname, '..', '..');
const textOf = (path: string) => readFileSync(join(checkout, path), 'utf8');

const declared = limitSections.flatMap(({ title, table }) =>
  limitsOf(table).map(({ name, limit }) => ({ name: `${title}: ${name}`, limit })),
);

/** No test attacks these. A limit that gets a test leaves the list; a new one without a test is a decision. */
const unattacked: readonly string[] = [
  'apid: gatewayShares.rememberedIdentities',
  'apid: strangerLimits.connectionsPerApid',
  'apid: backlogBytes',
  'trustd: metadataBytes',
  'registryd: downloadMs',
  'registryd: fruitlessAttempts',
  'registryd: writeBytes',
  'registryd: writeDelayMs',
  'registryd: collectMs',
  'registryd: touchMs',
  'registryd: management.transport.handshakesInFlight',
  'The endpoint of registryd: distribution.idleMs',
  'The endpoint of registryd: distribution.drainMs',
  'The endpoint of registryd: verifiedFiles.files',
];

test('docs/limits.md is what the declared limits say: `make generate` writes it', () => {
  assert.equal(textOf('docs/limits.md'), limitsPage());
});

/** Whether a line of the file has these words in a text, as the name of a test has. */
function names(file: string, words: string): boolean {
  const lines = textOf(file).split('\n');
  return lines.some((line) => {
    const at = line.indexOf(words);
    return at > 0 && /['"`]/.test(line.slice(0, at)) && !/^\s*(\/\/|\/?\*)/.test(line);
  });
}

/** A file whose tests or attacks run: the tests of the engines of HTTP/2 are in `conformance`. */
const isOfTests = (file: string) =>
  file.endsWith('.test.ts') ||
  /^(tests\/attack\/(floods|checks)|packages\/h2\/src\/conformance)\//.test(file);

test('each limit says which test attacks it, by its file, and by words of its name that are there', () => {
  const wrong = declared.flatMap(({ name, limit }) =>
    limit.attackedBy.flatMap((text) => {
      const { file, name: words } = parseAttackedBy(text);
      if (!isOfTests(file) || !existsSync(join(checkout, file))) return [`${name}: there is no test ${file}`];
      return words === undefined || (words !== '' && names(file, words))
        ? []
        : [`${name}: ${file} has no "${words}"`];
    }),
  );
  assert.deepEqual(wrong, []);
});

test('the limits that no test attacks are these', () => {
  const found = declared.filter(({ limit }) => limit.attackedBy.length === 0).map(({ name }) => name);
  assert.deepEqual(found, unattacked);
});

test('each limit has a text for what it limits, its unit and its effect', () => {
  const empty = declared.filter(({ limit }) =>
    [limit.what, limit.unit, limit.effect].some((text) => text.trim() === ''),
  );
  assert.deepEqual(empty, []);
  for (const { limit } of declared) assert.ok(Number.isFinite(limit.value) && limit.value >= 0, limit.what);
});

test('the files that declare limits have no number beside the declared values', () => {
  for (const { source } of limitSections) {
    const code = textOf(source)
      .replaceAll(/\/\*[\s\S]*?\*\//g, '')
      .replaceAll(/'[^'\n]*'|"[^"\n]*"|`[^`\n]*`/g, "''")
      .replaceAll(/\bvalue: [^,}\n]+/g, 'value');
    assert.deepEqual(code.match(/\b\d[\d_.]*/g) ?? [], [], source);
  }
});
