import assert from 'node:assert/strict';
import { test } from 'node:test';
import { documentKinds } from '../../schema/document-schema.ts';
import { fieldPaths } from '../../schema/field-paths.ts';
import { documentDocs } from '../field-docs.ts';
import { fieldReference, ownReference, referencedKinds } from './field-reference.ts';
import { chosenFields, fieldsBeside, refusedExamples } from './testing/sample-choices.ts';
import {
  assembleDocument,
  decodedValue,
  findingsAbout,
  plainValue,
  requiredPaths,
} from './testing/sample-documents.ts';

const maxCharacters = 160;

/** Types whose fields are explained by the fields inside, or are true or false. */
const needsNoExample = new Set(['obj', 'list', 'map', 'bool']);

test('fieldReference() explains every field of every kind', () => {
  for (const kind of documentKinds) {
    const reference = fieldReference(kind);
    const paths = fieldPaths(kind).map(({ path }) => path);
    assert.deepEqual([...reference.keys()], ['', ...paths]);
    const silent = [...reference].filter(([, { help }]) => help === '').map(([path]) => path);
    assert.deepEqual(silent, [], kind);
  }
  assert.equal(fieldReference('NoSuchKind').size, 0);
});

test('no text is about a kind or field that does not exist', () => {
  const unknownKinds = referencedKinds.filter((kind) => !documentKinds.includes(kind));
  assert.deepEqual(unknownKinds, []);
  for (const kind of documentKinds) {
    const known = new Set(['', ...fieldPaths(kind).map(({ path }) => path.replaceAll('[]', ''))]);
    const described = [...Object.keys(documentDocs(kind)), ...Object.keys(ownReference(kind))];
    const unknown = described.filter((path) => !known.has(path));
    assert.deepEqual(unknown, [], kind);
  }
});

test('texts are short sentences of one line', () => {
  for (const kind of documentKinds) {
    for (const [path, { help, notApplied, default: fallback }] of fieldReference(kind)) {
      const sentences = [help, ...(notApplied === undefined ? [] : [notApplied.text])];
      for (const text of [...sentences, ...(fallback === undefined ? [] : [fallback])]) {
        const where = `${kind} ${path}: ${text}`;
        assert.ok(text.length <= maxCharacters, `longer than ${maxCharacters} characters: ${where}`);
        assert.doesNotMatch(text, /\p{Cc}|^\s|\s$|\s\s/u, where);
        assert.match(text, /[a-z0-9]/i, where);
      }
      for (const text of sentences) assert.match(text, /[a-z].*[^.]\.$/i, `${kind} ${path}: ${text}`);
    }
  }
});

test('every value has an example that decodes to itself', () => {
  for (const kind of documentKinds) {
    const reference = fieldReference(kind);
    for (const { path, field } of fieldPaths(kind)) {
      const example = reference.get(path)?.example;
      if (example === undefined) assert.ok(needsNoExample.has(field.type), `no example: ${kind} ${path}`);
      else assert.deepEqual(decodedValue(kind, path, example), plainValue(example), `${kind} ${path}`);
    }
  }
});

test('a document with its required fields is valid, and refused without any of them', async () => {
  for (const kind of documentKinds) {
    const least = assembleDocument(kind, chosenFields[kind] ?? []);
    assert.deepEqual(await findingsAbout(kind, least), [], kind);
    for (const path of requiredPaths(kind)) {
      const fields = fieldsBeside(kind, path);
      const label = `${kind} ${path}`;
      assert.deepEqual(await findingsAbout(kind, assembleDocument(kind, fields)), [], label);
      const without = await findingsAbout(kind, assembleDocument(kind, fields, path));
      assert.notDeepEqual(without, [], `not required: ${label}`);
    }
  }
});

test('a document is valid with each of the examples', async () => {
  for (const kind of documentKinds) {
    const reference = fieldReference(kind);
    for (const { path } of fieldPaths(kind)) {
      if (reference.get(path)?.example === undefined) continue;
      const findings = await findingsAbout(kind, assembleDocument(kind, fieldsBeside(kind, path)));
      const isRefused = refusedExamples[kind]?.includes(path) ?? false;
      assert.equal(findings.length > 0, isRefused, `${kind} ${path}: ${findings}`);
    }
  }
});
