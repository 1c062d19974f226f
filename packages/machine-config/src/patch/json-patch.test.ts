import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { YamlValue } from '../yaml/yaml-value.ts';
import { applyJsonPatch, parseJsonPatch } from './json-patch.ts';

const run = (value: YamlValue, operations: YamlValue) => applyJsonPatch(value, parseJsonPatch(operations));

test('applyJsonPatch() gives the results of the examples in RFC 6902, appendix A', () => {
  const rows: [YamlValue, YamlValue, YamlValue][] = [
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
    [{ foo: ['bar', 'baz'] }, [{ op: 'add', path: '/foo/1', value: 'qux' }], { foo: ['bar', 'qux', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
    [{ foo: ['bar', 'qux', 'baz'] }, [{ op: 'remove', path: '/foo/1' }], { foo: ['bar', 'baz'] }],
    [{ baz: 'qux', foo: 'bar' }, [{ op: 'replace', path: '/baz', value: 'boo' }], { baz: 'boo', foo: 'bar' }],
    [
      { a: { x: 1, y: 2 }, b: {} },
      [{ op: 'move', from: '/a/x', path: '/b/z' }],
      { a: { y: 2 }, b: { z: 1 } },
    ],
    [{ foo: [1, 2, 3, 4] }, [{ op: 'move', from: '/foo/1', path: '/foo/3' }], { foo: [1, 3, 4, 2] }],
    [
      { baz: 'qux', foo: ['a', 2, 'c'] },
      [
        { op: 'test', path: '/baz', value: 'qux' },
        { op: 'test', path: '/foo/1', value: 2 },
      ],
      { baz: 'qux', foo: ['a', 2, 'c'] },
    ],
    [
      { foo: 'bar' },
      [{ op: 'add', path: '/child', value: { grandchild: {} } }],
      { child: { grandchild: {} }, foo: 'bar' },
    ],
    [{ foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }], { baz: 'qux', foo: 'bar' }],
    [{ '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
    [
      { foo: ['bar'] },
      [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
      { foo: ['bar', ['abc', 'def']] },
    ],
    [{ a: 1 }, [{ op: 'copy', from: '/a', path: '/b' }], { a: 1, b: 1 }],
    [{ a: 1 }, [{ op: 'replace', path: '', value: [1] }], [1]],
  ];
  assert.deepEqual(
    rows.map(([value, patch]) => run(value, patch)),
    rows.map(([, , expected]) => expected),
  );
});

test('applyJsonPatch() sets a missing key with replace, and counts from the end with a negative index', () => {
  const rows: [YamlValue, YamlValue, YamlValue][] = [
    [{ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }], { a: 1, b: 2 }],
    [{ l: [1, 2, 3] }, [{ op: 'remove', path: '/l/-1' }], { l: [1, 2] }],
    [{ l: [1, 2, 3] }, [{ op: 'replace', path: '/l/-3', value: 0 }], { l: [0, 2, 3] }],
  ];
  assert.deepEqual(
    rows.map(([value, patch]) => run(value, patch)),
    rows.map(([, , expected]) => expected),
  );
});

test('applyJsonPatch() rejects an invalid operation and names operation and path', () => {
  const rows: [YamlValue, string][] = [
    [[{ op: 'add', path: '/none/x', value: 1 }], 'JSON patch: add "/none/x": the path does not exist'],
    [[{ op: 'remove', path: '/none' }], 'JSON patch: remove "/none": the path does not exist'],
    [
      [{ op: 'replace', path: '/list/3', value: 1 }],
      'JSON patch: replace "/list/3": the path does not exist',
    ],
    [
      [{ op: 'add', path: '/list/01', value: 1 }],
      'JSON patch: add "/list/01": "01" is not a position in a list of 2',
    ],
    [[{ op: 'test', path: '/a', value: '1' }], 'JSON patch: test "/a": the value is different'],
    [
      [{ op: 'move', from: '/o', path: '/o/p' }],
      'JSON patch: move "/o" to "/o/p": cannot move a value into itself',
    ],
    [
      [{ op: 'add', path: '/a/b', value: 1 }],
      'JSON patch: add "/a/b": the parent is neither an object nor a list',
    ],
    [[{ op: 'add', path: 'a', value: 1 }], 'JSON patch: operation 1: path "a" must begin with "/"'],
    [[{ op: 'add', path: '/a' }], 'JSON patch: operation 1: "value" is missing'],
    [[{ op: 'remove', path: '' }], 'JSON patch: remove "": the whole document cannot be removed'],
    [{ op: 'add' }, 'JSON patch: not a list of operations'],
  ];
  for (const [patch, message] of rows) {
    assert.throws(() => run({ a: 1, list: [1, 2], o: {} }, patch), { kind: 'invalid-argument', message });
  }
});

const key = fc.string({ unit: fc.constantFrom('a', '~', '/', '0', '-'), minLength: 1, maxLength: 3 });
const pointer = (token: string) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`;

test('adding and removing a new key restores the value, and a copy passes a test operation', () => {
  fc.assert(
    fc.property(
      fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true }),
      key,
      fc.jsonValue(),
      (value, token, added) => {
        fc.pre(!Object.hasOwn(value, token));
        const base = value as YamlValue;
        const path = pointer(token);
        assert.deepEqual(
          run(base, [
            { op: 'add', path, value: added as YamlValue },
            { op: 'test', path, value: added as YamlValue },
            { op: 'remove', path },
          ]),
          base,
        );
      },
    ),
  );
});
