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

/** The types of the table that each type of the schema can stand for. */
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
  table: ['string'],
  enums: ['array<string>'],
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
  // The reference treats an object without own keys, such as nodeID, as free-form.
  obj: ['object', 'object(free-form)'],
  list: ['array<object>'],
  map: ['map<string,object>'],
  'map:str': ['map<string,string>'],
  'map:bool': ['map<string,boolean>'],
  args: ['map<string,string|array>', 'map<string,string|array<string>>'],
  free: ['object(free-form)'],
  frees: ['array<object(free-form)>'],
};

/** Keys whose decoder accepts any text: their allowed words apply only to validation, or to nothing. */
const wordsByValidation = [
  'v1alpha1 version',
  'v1alpha1 machine.type',
  'v1alpha1 machine.logging.destinations[].format',
  'ContainerConfig mounts[].userVolume.options',
  'ContainerConfig dependsOn.networks',
];

const encryptedVolumes = ['RawVolumeConfig', 'SwapVolumeConfig', 'UserVolumeConfig', 'VolumeConfig'];

/** Keys whose words the table does not have as upstream's client takes them, which was tried. */
const wordsAsTried = [
  ...encryptedVolumes.flatMap((kind) => [`${kind} encryption.provider`, `${kind} encryption.cipher`]),
  'EthernetConfig wakeOnLan',
  'ExternalVolumeConfig filesystemType',
  'LVMLogicalVolumeConfig type',
];
const otherWords = [...wordsByValidation, ...wordsAsTried];

/**
 * Keys that are written when empty, or omitted, against the table: half a pair is never omitted, and a
 * missing machine stays missing.
 */
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
  // It is refused when it is missing.
  'NetworkRuleConfig portSelector.protocol',
];

/** Pairs of a certificate and a key: a patch of either half replaces both, which the table does not say. */
const replacedAsTried = [
  'machine.ca',
  'machine.registries.config.*.tls.clientIdentity',
  'cluster.etcd.ca',
  'cluster.ca',
  'cluster.aggregatorCA',
  'cluster.serviceAccount',
].map((pair) => `v1alpha1 ${pair}`);

test('the decoder knows exactly the kinds of the table', () => {
  assert.deepEqual([...documentKinds].sort(), [...facts.keys()].sort());
});

test('the decoder knows every key of the table with its type, and no other key', () => {
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

test('allowed words, always-written keys and patch replacement agree with the table', () => {
  const differences = [...facts].flatMap(([kind, keys]) => {
    const fields = new Map(fieldPaths(kind).map(({ path, field }) => [path, field]));
    return keys.flatMap(({ path, marks, words }) => {
      const field = fields.get(path);
      const at = `${kind} ${path}`;
      const hasOtherWords = (field?.values.join('|') ?? '') !== words.join('|');
      return [
        ...(hasOtherWords !== otherWords.includes(at) ? [`${at}: ${words.join('|')}`] : []),
        ...((field?.isAlwaysWritten !== marks.includes('always')) !== alwaysOtherwise.includes(at)
          ? [`${at}: always`]
          : []),
        ...((field?.isReplaced !== marks.includes('replaced')) !== replacedAsTried.includes(at)
          ? [`${at}: replaced`]
          : []),
      ];
    });
  });
  assert.deepEqual(differences, []);
});

test('a document with every key of its kind is decoded, and is the same after encoding and decoding', () => {
  for (const [kind, keys] of facts) {
    const text = documentWithEveryKey(kind, keys);
    const [document, ...others] = loadConfiguration(text);
    assert.equal(others.length, 0);
    const again = loadConfiguration(encodeConfiguration([document as NonNullable<typeof document>]));
    assert.deepEqual(again[0]?.value, document?.value, kind);
  }
});

test('a key that the table lacks is refused at every place, with its position', () => {
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
