// Every path that the contributor documents name must exist.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
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
  for (const document of ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SPEC.md']) {
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
