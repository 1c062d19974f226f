import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  documentKinds,
  encodeConfiguration,
  fieldPaths,
  loadConfiguration,
} from '@nodewright/machine-config';
import { documentWithEveryKey } from './document-with-every-key.ts';
import { readConfigFacts } from './read-config-facts.ts';

const facts = readConfigFacts();

/** Which types of the table each type of the schema stands for. */
const typesOf: Readonly<Record<string, readonly string[]>> = {
  str: ['string'],
  dur: ['string'],
  mac: ['string'],
  url: ['string'],
  manifest: ['string'],
  ip: ['string'],
  prefix: ['string'],
  bytes: ['string'],
  limit: ['string'],
  enum: ['string'],
  size: ['string|integer'],
  bool: ['boolean'],
  int: ['integer'],
  uint8: ['integer'],
  uint16: ['integer'],
  uint32: ['integer'],
  uint64: ['integer'],
  mode: ['integer'],
  strs: ['array<string>'],
  ips: ['array<string>'],
  prefixes: ['array<string>'],
  ints: ['array<integer>'],
  ports: ['array<integer|string>'],
  // An object without keys of its own, such as nodeID, is free-form in the reference.
  obj: ['object', 'object(free-form)'],
  list: ['array<object>'],
  map: ['map<string,object>'],
  'map:str': ['map<string,string>'],
  'map:bool': ['map<string,boolean>'],
  args: ['map<string,string|array>', 'map<string,string|array<string>>'],
  free: ['object(free-form)'],
  frees: ['array<object(free-form)>'],
};

/** Keys that take any text when decoding: their words are for validation, or nobody looks at them. */
const wordsByValidation = [
  'v1alpha1 version',
  'v1alpha1 machine.type',
  'v1alpha1 machine.logging.destinations[].format',
  'ContainerConfig mounts[].userVolume.options',
  'ContainerConfig dependsOn.networks',
];

/** Written though empty, or not, against the table: half a pair is never left out, and a missing machine stays missing. */
const alwaysOtherwise = [
  ...[
    'machine.ca',
    'machine.registries.config.*.tls.clientIdentity',
    'cluster.etcd.ca',
    'cluster.ca',
    'cluster.aggregatorCA',
  ].flatMap((pair) => [`v1alpha1 ${pair}.crt`, `v1alpha1 ${pair}.key`]),
  'v1alpha1 machine.acceptedCAs[].crt',
  'v1alpha1 cluster.acceptedCAs[].crt',
  'v1alpha1 cluster.serviceAccount.key',
];

test('the decoder knows the kinds of the table and no others', () => {
  assert.deepEqual([...documentKinds].sort(), [...facts.keys()].sort());
});

test('the decoder knows every key of the table with its type, and no key beside them', () => {
  const said = [...facts].flatMap(([kind, keys]) => {
    const fields = new Map(fieldPaths(kind).map(({ path, field }) => [path, field]));
    const unknown = keys.flatMap(({ path, type }) => {
      const field = fields.get(path);
      if (!field) return [`${kind} ${path} is not known`];
      return typesOf[field.type]?.includes(type) ? [] : [`${kind} ${path} is ${type}, not ${field.type}`];
    });
    const inTable = new Set(keys.map(({ path }) => path));
    const extra = [...fields.keys()].filter((path) => !inTable.has(path));
    return [...unknown, ...extra.map((path) => `${kind} ${path} is not in the table`)];
  });
  assert.deepEqual(said, []);
  assert.equal([...facts.values()].flat().length > 1000, true);
});

test('words, what is always written and what patches replace are those of the table', () => {
  const differences = [...facts].flatMap(([kind, keys]) => {
    const fields = new Map(fieldPaths(kind).map(({ path, field }) => [path, field]));
    return keys.flatMap(({ path, marks, words }) => {
      const field = fields.get(path);
      const at = `${kind} ${path}`;
      const hasOtherWords = (field?.values.join('|') ?? '') !== words.join('|');
      return [
        ...(hasOtherWords !== wordsByValidation.includes(at) ? [`${at}: ${words.join('|')}`] : []),
        ...((field?.isAlwaysWritten !== marks.includes('always')) !== alwaysOtherwise.includes(at)
          ? [`${at}: always`]
          : []),
        ...(field?.isReplaced === marks.includes('replaced') ? [] : [`${at}: replaced`]),
      ];
    });
  });
  assert.deepEqual(differences, []);
});

test('a document with every key of its kind is decoded, and read back the same after it was written', () => {
  for (const [kind, keys] of facts) {
    const text = documentWithEveryKey(kind, keys);
    const [document, ...others] = loadConfiguration(text);
    assert.equal(others.length, 0);
    const again = loadConfiguration(encodeConfiguration([document as NonNullable<typeof document>]));
    assert.deepEqual(again[0]?.value, document?.value, kind);
  }
});

test('a key beside those of the table is refused wherever it stands, with its position', () => {
  for (const [kind, keys] of facts) {
    for (const { path } of [
      { path: '' },
      ...keys.filter(({ type }) => type === 'object' || type === 'array<object>'),
    ]) {
      const text = documentWithEveryKey(kind, keys, path);
      assert.throws(
        () => loadConfiguration(text),
        { kind: 'invalid-argument', message: /: "notAKey" is not a key of / },
        `${kind} ${path}`,
      );
    }
  }
});
