// Every kind's specs, in both of their forms.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'yaml';
import { encodeYaml } from '../spec/encode-yaml.ts';
import { PlainScalar } from '../spec/plain-scalar.ts';
import { arbitrarySpec } from './arbitrary-spec.ts';
import { nodeKinds } from './index.ts';

/** Plain data with what stands in YAML as it is read as a text. */
function plain(value: unknown): unknown {
  if (value instanceof PlainScalar) return value.text;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

test('a spec of every kind is the same after it has been a message', () => {
  for (const kind of nodeKinds) {
    const same = (spec: unknown) => assert.deepEqual(kind.codec.fromProto(kind.codec.toProto(spec)), spec);
    fc.assert(fc.property(arbitrarySpec(kind), same), { numRuns: 20 });
  }
});

test('YAML of every kind has the keys of its fields, in their order', () => {
  for (const kind of nodeKinds) {
    const { fields = {}, isBare } = kind.codec;
    const table = Object.entries(fields);
    if (isBare || table.some(([, { isInlined }]) => isInlined)) continue;
    const always = table.filter(([, { omitEmpty }]) => !omitEmpty).map(([key]) => key);
    const empty = kind.codec.fromProto(new Uint8Array());
    assert.deepEqual(Object.keys(kind.codec.toYaml(empty) as object), always, kind.type);
    const inOrder = (spec: unknown) => {
      const keys = Object.keys(kind.codec.toYaml(spec) as object);
      assert.deepEqual(
        keys,
        table.map(([key]) => key).filter((key) => keys.includes(key)),
      );
      assert.deepEqual(
        keys.filter((key) => always.includes(key)),
        always,
      );
    };
    fc.assert(fc.property(arbitrarySpec(kind), inOrder), { numRuns: 10 });
  }
});

test('YAML of every kind is read back as what was written', () => {
  for (const kind of nodeKinds) {
    const same = (spec: unknown) => {
      const data = kind.codec.toYaml(spec);
      const read = parse(encodeYaml(data), { schema: 'failsafe' });
      assert.deepEqual(texts(read), texts(plain(data)));
    };
    fc.assert(fc.property(arbitrarySpec(kind), same), { numRuns: 5 });
  }
});

/** Scalars as their texts: how a reader types those is another matter. */
function texts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(texts);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, texts(item)]));
}
