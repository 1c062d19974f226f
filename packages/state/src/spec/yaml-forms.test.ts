// Checks the YAML forms of field types. Source: Talos v1.14: COSI encoding, YAML peculiarities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineSpec } from './define-spec.ts';
import { durationText } from './duration-text.ts';
import { encodeYaml } from './encode-yaml.ts';
import * as types from './field-types.ts';
import { floatText } from './float-text.ts';

const { field, unlessEmpty } = types;
const yamlOf = <T>(type: types.FieldType<T>, value: T) =>
  encodeYaml(defineSpec({ x: field(1, type) }).toYaml({ x: value } as never));
const lines = (text: string) => text.trimEnd().split('\n');

test('field types have the expected YAML forms', () => {
  const rows: [types.FieldType<never>, unknown, ...string[]][] = [
    [types.duration as never, 90_000, 'x: 1m30s'],
    [types.time as never, Date.UTC(2026, 0, 10, 9, 5, 0, 120), 'x: 2026-01-10T09:05:00.12Z'],
    [types.time as never, Date.UTC(2026, 0, 10, 9, 5, 0), 'x: 2026-01-10T09:05:00Z'],
    [types.time as never, undefined, 'x: 0001-01-01T00:00:00Z'],
    [types.mode as never, 0o644, 'x: 420'],
    [types.double as never, 1_234_567.5, 'x: 1.2345675e+06'],
    [types.mac as never, '52:54:00:aa:bb:01', 'x: 52:54:00:aa:bb:01'],
    [types.mac as never, '52:54:00:11:22:33', 'x: "52:54:00:11:22:33"'],
    [types.ip as never, '', 'x: ""'],
    [types.bytes as never, Uint8Array.of(1, 255), 'x:', '    - 1', '    - 255'],
    [types.certificate as never, { crt: 'PEM' }, 'x:', '    crt: UEVN'],
    [types.privateKey as never, { key: 'PEM' }, 'x:', '    key: UEVN'],
    [types.certificateAndKey as never, { crt: 'PEM', key: '' }, 'x:', '    crt: UEVN', '    key: ""'],
    [types.optional(types.certificateAndKey) as never, undefined, 'x: null'],
    [types.textMap as never, { b: '1', a: 'yes' }, 'x:', '    a: "yes"', '    b: "1"'],
    [types.object as never, {}, 'x: {}'],
    [types.list(types.text) as never, [], 'x: []'],
    [types.flags('Flags', { UP: 1, RUNNING: 64 }) as never, ['RUNNING', 'UP'], 'x: UP,RUNNING'],
    [types.text as never, '0000:00:03.0', 'x: "0000:00:03.0"'],
    [types.text as never, 'one\ntwo\n', 'x: |', '    one', '    two'],
  ];
  for (const [type, value, ...expected] of rows)
    assert.deepEqual(lines(yamlOf(type, value as never)), expected);
});

test('a URL is a map of its parts', () => {
  const partsOf = (url: string) => types.url.toYaml(url) as Record<string, unknown>;
  // The query begins at the first question mark and keeps the others.
  assert.deepEqual([partsOf('http://h/a?b?c').path, partsOf('http://h/a?b?c').rawquery], ['/a', 'b?c']);
  assert.deepEqual(lines(yamlOf(types.url, 'https://10.0.0.10:6443')), [
    'x:',
    '    scheme: https',
    '    opaque: ""',
    '    user: null',
    '    host: 10.0.0.10:6443',
    '    path: ""',
    '    fragment: ""',
    '    rawquery: ""',
    '    rawpath: ""',
    '    rawfragment: ""',
    '    forcequery: false',
    '    omithost: false',
  ]);
  const { scheme, host, path, rawpath, rawquery, fragment, user } = partsOf('udp://u:p@[::1]:5/a%2Fb?c=d#e');
  assert.deepEqual([scheme, host, path, rawpath], ['udp', '[::1]:5', '/a/b', '/a%2Fb']);
  assert.deepEqual([rawquery, fragment, user], ['c=d', 'e', {}]);
  assert.deepEqual([partsOf('mailto:a@b').opaque, partsOf('http://a?').forcequery], ['a@b', true]);
});

test('YAML omits zero values of omitempty fields, and addresses always', () => {
  const inner = types.message({ name: field(1, types.text), at: field(2, types.ip) });
  const { toYaml } = bound({
    address: unlessEmpty(1, types.ip),
    subnets: unlessEmpty(2, types.list(types.cidr)),
    inner: unlessEmpty(3, inner),
    size: unlessEmpty(4, types.uint64),
    phase: unlessEmpty(5, types.enumeration('Phase', { waiting: 0, ready: 1 })),
    since: unlessEmpty(6, types.time),
    maybe: unlessEmpty(7, types.optional(types.bool)),
  });
  const shown = {
    ...{ address: '10.0.0.1', subnets: ['10.0.0.0/8'], inner: { name: 'a', at: '' }, size: 1 },
    ...{ phase: 'ready', since: 0, maybe: false },
  };
  assert.deepEqual(Object.keys(toYaml(shown)), ['subnets', 'inner', 'size', 'phase', 'since', 'maybe']);
  const zero = {
    ...{ address: '', subnets: [], inner: { name: '', at: '10.0.0.1' }, size: 0 },
    ...{ phase: 'waiting', since: undefined, maybe: undefined },
  };
  assert.deepEqual(Object.keys(toYaml(zero)), []);
});

test('inlined fields are written among the others, and YAML-only fields are not on the wire', () => {
  const { toYaml, toProto } = bound({
    name: field(1, types.text),
    slave: types.inlined(2, types.message({ master: unlessEmpty(1, types.text) })),
    health: types.yamlOnly(types.text),
  });
  const spec = { name: 'a', slave: { master: 'bond0' }, health: 'true' };
  assert.deepEqual(toYaml(spec), { name: 'a', master: 'bond0', health: 'true' });
  assert.deepEqual(Buffer.from(toProto({ ...spec, slave: { master: '' } })).toString('hex'), '0a01611200');
});

function bound(fields: types.FieldTable) {
  const codec = defineSpec(fields);
  return {
    toYaml: (spec: object) => codec.toYaml(spec as never) as object,
    toProto: (spec: object) => codec.toProto(spec as never),
  };
}

test('durationText() formats durations like Go', () => {
  const rows: [number, string][] = [
    [0, '0s'],
    [0.000001, '1ns'],
    [0.0015, '1.5µs'],
    [1.5, '1.5ms'],
    [1000, '1s'],
    [61_500, '1m1.5s'],
    [3_600_000, '1h0m0s'],
    [-90_000, '-1m30s'],
    [86_400_000 * 400, '9600h0m0s'],
  ];
  for (const [ms, expected] of rows) assert.equal(durationText(ms), expected);
});

test('floatText() uses exponents for very small and large numbers', () => {
  const rows: [number, string][] = [
    [0, '0'],
    [1, '1'],
    [4800.5, '4800.5'],
    [999_999, '999999'],
    [1_000_000, '1e+06'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-2.5e300, '-2.5e+300'],
    [Number.POSITIVE_INFINITY, '.inf'],
  ];
  for (const [value, expected] of rows) assert.equal(floatText(value), expected);
});

test('an enumeration rejects unknown numbers, and an open one shows them as text', () => {
  const closed = types.enumeration('Closed', { a: 1 });
  const open = types.openEnumeration('Open', { main: 254 });
  assert.deepEqual([closed.textOf(0), closed.textOf(1), closed.numberOf('a')], ['', 'a', 1]);
  assert.throws(() => closed.textOf(2), { kind: 'internal', message: 'unknown value 2 of Closed' });
  assert.deepEqual([open.textOf(254), open.textOf(1000), open.numberOf('1000')], ['main', '1000', 1000]);
});
