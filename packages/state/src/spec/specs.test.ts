import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceDefinitionSpec as DefinitionMessage } from '@nodewright/contract/gen/cosi/resource/meta/meta.ts';
import fc from 'fast-check';
import { type ResourceDefinitionSpec, resourceDefinitions } from '../meta/meta-kinds.ts';
import { defineSpec } from './define-spec.ts';
import { encodeYaml } from './encode-yaml.ts';
import * as field from './field-types.ts';
import { ipBytes, ipText } from './ip-text.ts';

interface Everything {
  readonly flag: boolean;
  readonly size: number;
  readonly name: string;
  readonly colour: 'none' | 'red' | 'blue';
  readonly words: readonly string[];
  readonly sizes: readonly number[];
  readonly inner: { readonly x: string };
  readonly maybe: { readonly x: string } | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly address: string;
  readonly subnet: string;
  readonly late: string;
}

const inner = field.message<{ readonly x: string }>({ x: { number: 1, type: field.text } });

const everything = defineSpec<Everything>({
  flag: { number: 1, type: field.bool },
  size: { number: 2, type: field.integer },
  name: { number: 14, type: field.text, omitEmpty: true },
  colour: { number: 3, type: field.enumeration<Everything['colour']>({ none: 0, red: 1, blue: 7 }) },
  words: { number: 4, type: field.list(field.text) },
  sizes: { number: 5, type: field.list(field.integer) },
  inner: { number: 6, type: inner },
  maybe: { number: 7, type: field.optional(inner) },
  tags: { number: 8, type: field.textMap },
  address: { number: 9, type: field.ip },
  subnet: { number: 10, type: field.cidr },
  late: { number: 200, type: field.textBytes },
});

const empty: Everything = {
  ...{ flag: false, size: 0, name: '', colour: 'none', words: [], sizes: [], inner: { x: '' } },
  ...{ maybe: undefined, tags: {}, address: '', subnet: '', late: '' },
};

test('a spec is the same after it has been a message', () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6().map((text) => ipText(ipBytes(text))),
    fc.constant(''),
  );
  const spec: fc.Arbitrary<Everything> = fc.record({
    flag: fc.boolean(),
    size: fc.maxSafeInteger(),
    name: fc.string(),
    colour: fc.constantFrom('none' as const, 'red' as const, 'blue' as const),
    words: fc.array(fc.string()),
    sizes: fc.array(fc.integer()),
    inner: fc.record({ x: fc.string() }),
    maybe: fc.option(fc.record({ x: fc.string() }), { nil: undefined }),
    tags: fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.string(),
    ),
    address,
    subnet: address.map((text) => (text === '' ? '' : `${text}/17`)),
    late: fc.string(),
  });
  fc.assert(
    fc.property(spec.map(structuredClone<Everything>), (value) =>
      assert.deepEqual(everything.fromProto(everything.toProto(value)), value),
    ),
    { numRuns: 300 },
  );
});

test('an empty spec is nearly nothing as a message, and complete in YAML', () => {
  assert.deepEqual([...everything.toProto(empty)], [6 * 8 + 2, 0]);
  assert.equal(
    encodeYaml(everything.toYaml(empty)),
    `flag: false
size: 0
colour: none
words: []
sizes: []
inner:
    x: ""
maybe: null
tags: {}
address: ""
subnet: ""
late: ""
`,
  );
});

test('a definition is the message that typed clients decode', () => {
  const spec: ResourceDefinitionSpec = {
    type: 'Notes.x',
    displayType: 'Note',
    defaultNamespace: 'desk',
    aliases: ['note'],
    allAliases: ['notes', 'note'],
    skipAutomaticAliases: false,
    printColumns: [{ name: 'Text', jsonPath: '{.text}' }],
    sensitivity: 'sensitive',
  };
  const { resourceType, printColumns, allAliases, sensitivity } = DefinitionMessage.decode(
    resourceDefinitions.codec.toProto(spec),
  );
  assert.deepEqual(
    [resourceType, printColumns, allAliases, sensitivity],
    ['Notes.x', [...spec.printColumns], ['notes', 'note'], 1],
  );
  assert.equal(
    encodeYaml(resourceDefinitions.codec.toYaml({ ...spec, skipAutomaticAliases: true })),
    `type: Notes.x
displayType: Note
defaultNamespace: desk
aliases:
    - note
allAliases:
    - notes
    - note
skipAutomaticAliases: true
printColumns:
    - name: Text
      jsonPath: "{.text}"
sensitivity: sensitive
`,
  );
});

test('addresses have 4 or 16 bytes, and anything else has none', () => {
  assert.deepEqual([...ipBytes('10.0.0.1')], [10, 0, 0, 1]);
  assert.deepEqual([...ipBytes('fe80::1:2')], [0xfe, 0x80, ...Array(11).fill(0), 1, 0, 2]);
  assert.deepEqual([...ipBytes('::ffff:1.2.3.4')].slice(10), [255, 255, 1, 2, 3, 4]);
  assert.deepEqual([ipBytes('node01').length, ipText(new Uint8Array(3))], [0, '']);
  assert.equal(ipText(ipBytes('2001:db8:0:0:0:0:0:1')), '2001:db8::1');
});
