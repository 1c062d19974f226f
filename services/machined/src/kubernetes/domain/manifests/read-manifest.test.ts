import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, faultFrom } from '@nodewright/fault';
import fc from 'fast-check';
import { manifestLimits, readManifest } from './read-manifest.ts';

const read = (text: string) => [...readManifest(text)].flat();
const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\n`;
const nameOf = ({ metadata }: { metadata?: unknown }) => (metadata as { name: string }).name;

test('readManifest() reads documents, lists and JSON, and leaves out empty documents', () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- { apiVersion: v1, kind: Secret, metadata: { name: c } }\n`;
  const json = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"d"}}';
  const text = `# a comment\n---\n${map('a')}--- # the next\n${map('b')}---\n\n---\n${list}---\n${json}`;
  assert.deepEqual(read(text).map(nameOf), ['a', 'b', 'c', 'd']);
  assert.deepEqual(read(''), []);
  assert.deepEqual(read(map('a').replaceAll('\n', '\r\n')).map(nameOf), ['a']);
});

test('readManifest() splits documents only at lines that begin with three dashes', () => {
  const text =
    'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\ndata:\n  pem: |\n    -----BEGIN X-----\n    ---\n';
  const [object] = read(text);
  assert.deepEqual(object?.data, { pem: '-----BEGIN X-----\n---\n' });
});

test('readManifest() refuses what is no manifest, with the number of the document and without its content', () => {
  const table: [string, RegExp][] = [
    ['kind: X\n', /^document 1 has no apiVersion or no kind$/],
    [`${map('a')}---\n- secret\n`, /^document 2 is not an object of Kubernetes$/],
    ['apiVersion: v1\nkind: X\n', /^document 1 has no metadata.name$/],
    ['a: [secret', /^document 1 is not YAML: \w+ at character \d+$/],
    [`a: &a [x]\nb: [${Array(200).fill('*a').join(', ')}]`, /^document 1 repeats too much by aliases$/],
    ['x'.repeat(manifestLimits.textBytes + 1), /^it is larger than 4194304 bytes$/],
    [`a: ${'x'.repeat(manifestLimits.documentBytes)}`, /^document 1 is larger than 1572864 bytes$/],
    [`${map('a')}---\n`.repeat(manifestLimits.objects + 1), /^it has more than 1000 objects$/],
  ];
  for (const [text, message] of table)
    assert.throws(
      () => read(text),
      (error) => error instanceof Fault && message.test(error.message) && !error.message.includes('secret'),
      String(message),
    );
});

test('readManifest() either reads a text or throws a Fault', () => {
  const piece = fc.constantFrom(
    '---\n',
    'a: b\n',
    map('a'),
    '- x\n',
    '&a *a',
    '{',
    '"',
    '\t',
    '\u0000',
    '%YAML 1.2\n',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 12 }), (pieces) => {
      try {
        read(pieces.join(''));
      } catch (error) {
        assert.ok(error instanceof Fault, String(faultFrom(error).stack));
      }
    }),
    { numRuns: 50 },
  );
});
