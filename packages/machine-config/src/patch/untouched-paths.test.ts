import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { arbitraryDocument } from '../schema/arbitrary-document.ts';
import { documentKinds, documentSchema, legacyKind } from '../schema/document-schema.ts';
import { isEmptyValue } from '../schema/empty-value.ts';
import type { FieldMap } from '../schema/parse-schema.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { encodeYaml } from '../yaml/encode-yaml.ts';
import { isYamlList, isYamlMap, type YamlMap, type YamlValue } from '../yaml/yaml-value.ts';
import { applyPatches } from './apply-patches.ts';
import { parsePatch } from './parse-patch.ts';

const seed = Number(process.env.SEED ?? 20_261_122);

const withLegacyKey = (kind: string, value: YamlMap): YamlMap =>
  kind === legacyKind ? { machine: {}, ...value } : value;

const head = (kind: string, value: YamlMap) =>
  kind === legacyKind ? {} : { apiVersion: 'v1alpha1', kind, ...(value.name ? { name: value.name } : {}) };

/** The values of a document by path, without zero values. */
function leaves(value: YamlMap, fields: FieldMap | undefined, path = ''): Map<string, YamlValue> {
  const found = new Map<string, YamlValue>();
  for (const [key, item] of Object.entries(value)) {
    const field = fields?.get(key);
    if (item === undefined || item === null || (field && isEmptyValue(item, field))) continue;
    const inside = `${path}/${key}`;
    if (isYamlMap(item) && field?.type === 'obj')
      for (const entry of leaves(item, field.fields, inside)) found.set(...entry);
    else found.set(inside, item);
  }
  return found;
}

/** Kinds and fields that can hold an empty object. */
const emptyObjects: readonly [string, string][] = documentKinds.flatMap((kind) =>
  [...(documentSchema(kind)?.fields.values() ?? [])]
    .filter(({ type, isAlwaysWritten }) => type === 'obj' && !isAlwaysWritten)
    .map(({ name }): [string, string] => [kind, name]),
);

test(`a patch of another document keeps this one unchanged, and encoding is stable (seed ${seed})`, () => {
  const kinds = documentKinds.filter((kind) => kind !== 'HostnameConfig');
  const documents = fc
    .constantFrom(...kinds)
    .chain((kind) => arbitraryDocument(kind).map((value) => ({ kind, value: withLegacyKey(kind, value) })));
  fc.assert(
    fc.property(documents, (document) => {
      const { peer, name } = document.value;
      fc.pre(!(isYamlMap(peer) && peer.name === name));
      const [before] = loadConfiguration(encodeConfiguration([document]));
      const patch = parsePatch('apiVersion: v1alpha1\nkind: HostnameConfig\nhostname: other\n');
      const text = encodeConfiguration(applyPatches(before ? [before] : [], [patch]));
      const [after] = loadConfiguration(text);
      const fields = documentSchema(document.kind)?.fields;
      assert.deepEqual(leaves(after?.value ?? {}, fields), leaves(before?.value ?? {}, fields));
      assert.equal(encodeConfiguration(loadConfiguration(text)), text);
    }),
    { numRuns: 300, seed },
  );
});

test(`a patch of one top-level key keeps all other keys unchanged (seed ${seed})`, () => {
  const cases = fc.constantFrom(...documentKinds).chain((kind) =>
    fc.record({
      kind: fc.constant(kind),
      base: arbitraryDocument(kind),
      patch: arbitraryDocument(kind),
      pick: fc.nat(),
    }),
  );
  fc.assert(
    fc.property(cases, ({ kind, base, patch, pick }) => {
      const keys = Object.keys(patch).filter((key) => key !== 'name' && key !== 'peer');
      fc.pre(keys.length > 0 && !(isYamlMap(base.peer) && base.peer.name === base.name));
      const key = keys[pick % keys.length] as string;
      const before = loadConfiguration(encodeConfiguration([{ kind, value: withLegacyKey(kind, base) }]));
      const only = { ...head(kind, base), [key]: patch[key] } as YamlMap;
      const merge = encodeYaml(withLegacyKey(kind, only));
      let after: ReturnType<typeof applyPatches>;
      try {
        after = applyPatches(before, [parsePatch(merge)]);
      } catch (error) {
        // Some generated values cannot be merged, such as a string into a number of a free-form part.
        assert.match(String(error), /cannot merge|cannot be merged/);
        return;
      }
      const untouched = (value: YamlMap) =>
        new Map(
          [...leaves(value, documentSchema(kind)?.fields)].filter(
            ([path]) => !path.startsWith(`/${key}`) && !isClearedByAbsence(kind, path),
          ),
        );
      assert.deepEqual(untouched(after[0]?.value ?? {}), untouched(before[0]?.value ?? {}));
    }),
    { numRuns: 300, seed },
  );
});

function isClearedByAbsence(kind: string, path: string): boolean {
  let fields: FieldMap | undefined = documentSchema(kind)?.fields;
  for (const key of path.split('/').slice(1)) {
    const field = fields?.get(key);
    if (field?.isClearedByAbsence) return true;
    fields = field?.fields;
  }
  return false;
}

test('an empty object does not make a valid document invalid after a patch', () => {
  for (const [kind, field] of emptyObjects) {
    if (kind === legacyKind) continue;
    const base = `apiVersion: v1alpha1\nkind: ${kind}\nname: EPHEMERAL\n${field}: {}\n`;
    const text = documentSchema(kind)?.isNamed ? base : base.replace('name: EPHEMERAL\n', '');
    const before = loadConfiguration(text);
    const patch = parsePatch('apiVersion: v1alpha1\nkind: StaticHostConfig\nname: 9.9.9.9\nhostnames: [a]\n');
    const after = loadConfiguration(encodeConfiguration(applyPatches(before, [patch]))).slice(0, 1);
    const errors = (configuration: typeof before) =>
      validateConfiguration(configuration, { mode: 'cloud', local: true }).errors.map((error) =>
        error.replaceAll(/ \(line \d+, column \d+\)/g, ''),
      );
    assert.deepEqual(errors(after), errors(before), `${kind} ${field}`);
  }
  const [volume] = applyPatches(
    loadConfiguration(
      'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nencryption: {}\nmount: {}\n',
    ),
    [parsePatch('apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning: { grow: true }\n')],
  );
  assert.equal(
    encodeConfiguration(volume ? [volume] : []),
    'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning:\n    grow: true\n',
  );
});

test(`a JSON patch changes only the path that it names (seed ${seed})`, () => {
  const documents = fc
    .constantFrom(...documentKinds)
    .chain((kind) => arbitraryDocument(kind).map((value) => ({ kind, value: withLegacyKey(kind, value) })));
  fc.assert(
    fc.property(documents, fc.nat(), (document, pick) => {
      const { peer, name } = document.value;
      fc.pre(!(isYamlMap(peer) && peer.name === name));
      const before = loadConfiguration(encodeConfiguration([document]));
      const value = before[0]?.value ?? {};
      const paths = pathsOf(value).filter((path) => path !== '/name' && path !== '/machine');
      fc.pre(paths.length > 0);
      const path = paths[pick % paths.length] as string;
      const patch = JSON.stringify([
        { op: 'copy', from: path, path },
        { op: 'remove', path },
      ]);
      const after = applyPatches(before, [parsePatch(patch)]);
      const field = path.split('/')[1] as string;
      const others = (of: YamlMap) => Object.fromEntries(Object.entries(of).filter(([key]) => key !== field));
      assert.deepEqual(others(after[0]?.value ?? {}), others(value));
      const text = encodeConfiguration(after);
      assert.deepEqual(loadConfiguration(text)[0]?.value, after[0]?.value);
    }),
    { numRuns: 200, seed },
  );
});

/** Returns JSON pointers to the top-level keys whose values are not lists. */
function pathsOf(value: YamlMap): string[] {
  const token = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1');
  return Object.entries(value).flatMap(([key, item]) => {
    if (item === undefined || isYamlList(item)) return [];
    return [`/${token(key)}`];
  });
}

test('a JSON patch keeps the notation of numbers, words and empty objects', () => {
  const base =
    'machine:\n  token: 0123\n  network: {}\n  sysctls: { a: 0x10, b: 1e3, c: off }\n  time: { disabled: yes }\ncluster: {}\n';
  const patch = '[{"op":"add","path":"/machine/certSANs","value":["a","off"]}]';
  assert.equal(
    encodeConfiguration(applyPatches(loadConfiguration(base), [parsePatch(patch)])),
    'cluster: {}\nmachine:\n  certSANs:\n  - a\n  - "off"\n  network: {}\n  sysctls:\n    a: 0x10\n    b: 1e3\n    c: off\n  time:\n    disabled: yes\n  token: 0123\n',
  );
});

test('a patch that only deletes may contain the version, and $patch with another value is an ordinary key', () => {
  const base = 'version: v1alpha1\nmachine: { token: t, sysctls: { a: "1" } }\ncluster: {}\n';
  const machine = (patch: string) =>
    applyPatches(loadConfiguration(base), [parsePatch(patch)])[0]?.value.machine;
  assert.deepEqual(machine('version: v1alpha1\nmachine: { token: { $patch: delete } }\n'), {
    sysctls: { a: '1' },
  });
  assert.deepEqual(machine('version: v1alpha1\nmachine: { sysctls: { a: { $patch: delete } } }\n'), {
    token: 't',
    sysctls: {},
  });
  assert.deepEqual(machine('machine: { sysctls: { $patch: remove } }\n'), {
    token: 't',
    sysctls: { a: '1', $patch: 'remove' },
  });
  assert.throws(() => machine('machine: { network: { $patch: remove } }\n'), { message: /unknown keys/ });
});
