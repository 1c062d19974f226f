import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResourceDefinitionSpec as DefinitionMessage } from '@nodewright/contract/gen/cosi/resource/meta/meta.ts';
import fc from 'fast-check';
import { type ResourceDefinitionSpec, resourceDefinitions } from '../meta/meta-kinds.ts';
import { defineSpec } from './define-spec.ts';
import { encodeYaml } from './encode-yaml.ts';
import * as field from './field-types.ts';
import { ipBytes, ipText } from './ip-text.ts';

const { field: at, unlessEmpty } = field;
const inner = field.message({ x: at(1, field.text) });

const everything = defineSpec({
  flag: at(1, field.bool),
  size: at(2, field.int),
  name: unlessEmpty(14, field.text),
  colour: at(3, field.enumeration('Colour', { none: 0, red: 1, blue: 7 })),
  words: at(4, field.list(field.text)),
  sizes: at(5, field.list(field.int)),
  inner: at(6, inner),
  maybe: at(7, field.optional(inner)),
  tags: at(8, field.textMap),
  address: at(9, field.ip),
  subnet: at(10, field.cidr),
  late: at(200, field.textBytes),
});
type Everything = ReturnType<typeof everything.fromProto>;

const empty: Everything = {
  ...{ flag: false, size: 0, name: '', colour: 'none', words: [], sizes: [], inner: { x: '' } },
  ...{ maybe: undefined, tags: {}, address: '', subnet: '', late: '' },
};

test('a spec is unchanged after encoding to protobuf and back', () => {
  const address = fc.oneof(
    fc.ipV4(),
    fc.ipV6().map((text) => ipText(ipBytes(text))),
    fc.constantFrom('fe80::1%eth0', 'fe80::2%3'),
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
    subnet: address.map((text) => (text === '' || text.includes('%') ? '' : `${text}/17`)),
    late: fc.string(),
  });
  fc.assert(
    fc.property(spec.map(structuredClone<Everything>), (value) =>
      assert.deepEqual(everything.fromProto(everything.toProto(value)), value),
    ),
    { numRuns: 300 },
  );
});

test('an empty spec is almost empty in protobuf, and complete in YAML', () => {
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

test('a resource definition is encoded as the message that clients decode', () => {
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

test('IP addresses have 4 or 16 bytes, and any other text has none', () => {
  assert.deepEqual([...ipBytes('10.0.0.1')], [10, 0, 0, 1]);
  assert.deepEqual([...ipBytes('fe80::1:2')], [0xfe, 0x80, ...Array(11).fill(0), 1, 0, 2]);
  assert.deepEqual([...ipBytes('::ffff:1.2.3.4')].slice(10), [255, 255, 1, 2, 3, 4]);
  assert.deepEqual([ipBytes('node01').length, ipText(new Uint8Array(3))], [0, '']);
  assert.equal(ipText(ipBytes('2001:db8:0:0:0:0:0:1')), '2001:db8::1');
});

test('the zone of an IPv6 address follows its 16 bytes, and anything but the name of a link is dropped', () => {
  assert.deepEqual(
    ipBytes('fe80::1%eth0.7'),
    Uint8Array.from([...ipBytes('fe80::1'), ...Buffer.from('eth0.7')]),
  );
  assert.equal(ipText(ipBytes('fe80::1%eth0.7')), 'fe80::1%eth0.7');
  for (const zone of ['', 'a b', '../x', '\x1b[2J', 'é', 'x'.repeat(16)]) {
    assert.equal(
      ipText(Buffer.concat([ipBytes('fe80::1'), Buffer.from(zone)])),
      zone === '' ? 'fe80::1' : '',
      zone,
    );
    assert.equal(ipBytes(`fe80::1%${zone}`).length, 0, zone);
  }
});
