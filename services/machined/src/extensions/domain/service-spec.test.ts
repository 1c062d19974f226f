import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { type ExtensionServiceSpec, parseServiceSpec } from './service-spec.ts';

const minimal = { name: 'demo', container: { entrypoint: './demo' } };
const parse = (value: unknown) => parseServiceSpec(stringify(value, { aliasDuplicateObjects: false }));

test('a file needs a name and a program, and everything else has a default', () => {
  assert.deepEqual(parse(minimal), {
    name: 'demo',
    container: {
      ...{ entrypoint: './demo', args: [], environment: [], environmentFile: '', mounts: [] },
      security: {
        ...{ writeableRootfs: false, writeableSysfs: false },
        ...{ maskedPaths: undefined, readonlyPaths: undefined, rootfsPropagation: undefined },
      },
    },
    depends: [],
    restart: 'always',
    logToConsole: false,
  });
});

test('a file has every field of an extension service', () => {
  const mount = { source: '/var/lib/x', destination: '/x', type: 'bind', options: ['rbind', 'rw'] };
  const found = parse({
    ...{ name: 'a-b_1', restart: 'untilSuccess', logToConsole: true },
    container: {
      ...{
        entrypoint: '/bin/x',
        args: ['-v', 2, true],
        environment: ['A=b=c'],
        environmentFile: '/var/etc/x.env',
      },
      mounts: [mount],
      security: {
        ...{ writeableRootfs: true, writeableSysfs: true, maskedPaths: [], readonlyPaths: ['/proc/sys'] },
        rootfsPropagation: 'shared',
      },
    },
    depends: [
      ...[{ service: 'cri' }, { path: '/run/x.sock' }, { network: ['etcfiles', 'addresses'] }],
      ...[{ time: true }, { configuration: true }],
    ],
    unknown: 'ignored',
  });
  assert.deepEqual(found.container.args, ['-v', '2', 'true']);
  assert.deepEqual(found.container.mounts, [mount]);
  assert.deepEqual(found.container.security.maskedPaths, []);
  assert.deepEqual(found.depends, [
    { kind: 'service', id: 'cri' },
    { kind: 'path', path: '/run/x.sock' },
    { kind: 'network', parts: ['addresses', 'etcfiles'] },
    { kind: 'time' },
    { kind: 'configuration' },
  ]);
});

test('a text that is not quoted is what the file has, whatever else YAML makes of it', () => {
  const written = ['0022', '1.10', '0o17', '0x1F', '+1', '1e3', '.50', '12345678901234567890', '-0', '.inf'];
  const words = ['True', 'FALSE', 'yes', '2026-01-01'];
  const found = parseServiceSpec(`
name: 0022
container:
  entrypoint: 1.10
  args: [${[...written, ...words].join(', ')}, '0022', !!int 0022, !!str 0022, true]
  environment: [UMASK=0022]
  mounts: [{ source: 007, destination: /x, options: [mode=0755, 0755] }]
depends: [{ service: 1.0 }, { time: True }]
logToConsole: TRUE
0022: ignored
true: ignored
`);
  assert.equal(found.name, '0022');
  assert.equal(found.container.entrypoint, '1.10');
  assert.deepEqual(found.container.args, [...written, ...words, '0022', '0022', '0022', 'true']);
  assert.deepEqual(found.container.mounts, [
    { source: '007', destination: '/x', type: '', options: ['mode=0755', '0755'] },
  ]);
  assert.deepEqual(found.depends, [{ kind: 'service', id: '1.0' }, { kind: 'time' }]);
  assert.equal(found.logToConsole, true);
});

const container = (change: object) => ({ ...minimal, container: { ...minimal.container, ...change } });
const depends = (...entries: object[]) => ({ ...minimal, depends: entries });

test('a file that is wrong is refused with the reason', () => {
  const cases: readonly (readonly [unknown, RegExp])[] = [
    ['text', /^the file is no mapping$/],
    [true, /^the file is no mapping$/],
    [{ ...minimal, container: true }, /^container is no mapping$/],
    [{ ...minimal, logToConsole: 'true' }, /^logToConsole is neither true nor false$/],
    [{ ...minimal, name: 'A' }, /^name "A" does not consist of up to 63 of a-z, 0-9, - and _$/],
    [{ ...minimal, name: '../x' }, /does not consist/],
    [{ ...minimal, name: 'x'.repeat(64) }, /does not consist/],
    [{ name: 'demo' }, /^container is no mapping$/],
    [container({ entrypoint: '' }), /^entrypoint is missing$/],
    [container({ args: 'x' }), /^args is no list$/],
    [container({ args: [{}] }), /^args is no text$/],
    [container({ environment: ['A'] }), /"A", which is not NAME=value$/],
    [container({ environmentFile: 'x.env' }), /^environmentFile "x\.env" is not an absolute path/],
    [container({ mounts: [{ source: '/x' }] }), /^destination is missing$/],
    [container({ mounts: [{ destination: 'x' }] }), /^destination "x" of a mount is not an absolute path/],
    [container({ mounts: [{ source: '/var/../etc', destination: '/x' }] }), /has a part "\.\."$/],
    [container({ security: { writeableRootfs: 'yes' } }), /^writeableRootfs is neither true nor false$/],
    [
      container({ security: { rootfsPropagation: 'rshared' } }),
      /is "rshared", and not shared, slave, private$/,
    ],
    [{ ...minimal, restart: 'sometimes' }, /^restart is "sometimes", and not always, never, untilSuccess$/],
    [depends({}), /^an entry of depends has not exactly one of service, path, network, time, configuration$/],
    [depends({ service: 'a', path: '/b' }), /has not exactly one/],
    [depends({ path: 'x' }), /^path "x" is not an absolute path/],
    [depends({ network: [] }), /^network of depends has "", and not addresses/],
    [depends({ network: ['x'] }), /^network of depends has "x"/],
    [depends({ time: false }), /^time of depends is not true$/],
  ];
  for (const [value, reason] of cases)
    assert.throws(
      () => parse(value),
      (error: Fault) => {
        assert.match(error.message, reason);
        return error.kind === 'invalid-argument';
      },
    );
  assert.throws(() => parseServiceSpec('a: &a 1\nb: *a'), /alias/i);
  assert.throws(() => parseServiceSpec('a: [\n'), Fault);
});

const text = fc.stringMatching(/^[a-zA-Z0-9./ -]{1,20}$/);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const dependency = fc.oneof(
  fc.record({ service: fc.stringMatching(/^[a-z]{1,9}$/) }),
  fc.record({ network: fc.uniqueArray(fc.constantFrom('addresses', 'hostname'), { minLength: 1 }) }),
  fc.constantFrom({ time: true }, { configuration: true }, { path: '/x' }),
);
const written = fc.record({
  name: fc.stringMatching(/^[-_a-z0-9]{1,63}$/),
  container: fc.record({
    entrypoint: text,
    args: fc.array(text, { maxLength: 4 }),
    environment: fc.array(
      fc
        .tuple(fc.stringMatching(/^[A-Z]{1,5}$/), fc.string())
        .map(([key, value]) => `${key}=${value.replaceAll('\0', '')}`),
    ),
    security: fc.record({ writeableRootfs: fc.boolean(), maskedPaths: optional(fc.array(text)) }),
  }),
  depends: fc.array(dependency, { maxLength: 4 }),
  restart: fc.constantFrom('always', 'never', 'untilSuccess'),
});

test('what is written is what is read', () => {
  fc.assert(
    fc.property(written, (value) => {
      const found: ExtensionServiceSpec = parse(value);
      assert.equal(found.name, value.name);
      assert.equal(found.restart, value.restart);
      assert.deepEqual(found.container.args, value.container.args);
      assert.deepEqual(found.container.environment, value.container.environment);
      assert.deepEqual(found.container.security.maskedPaths, value.container.security.maskedPaths);
      assert.equal(found.depends.length, value.depends.length);
    }),
  );
});

test('any text and any value is read, or refused with a Fault', () => {
  const refusedOnly = (work: () => unknown) => {
    try {
      work();
    } catch (error) {
      assert.ok(error instanceof Fault, String(error));
      assert.equal(error.kind, 'invalid-argument');
    }
  };
  const value = fc.oneof(fc.anything(), fc.constantFrom(null, '', [], {}, 1, true));
  const mangled = fc.tuple(
    written,
    fc.constantFrom('name', 'container', 'depends', 'restart', 'logToConsole'),
    value,
  );
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (any) => refusedOnly(() => parseServiceSpec(any))));
  fc.assert(
    fc.property(mangled, ([whole, key, other]) => {
      let yaml = '';
      try {
        yaml = stringify({ ...whole, [key]: other });
      } catch {
        return; // Not every value can be written.
      }
      refusedOnly(() => parseServiceSpec(yaml));
    }),
  );
});
