import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFacts } from './compare-facts.ts';
import { factsFromImage } from './facts-from-image.ts';
import { readWireFacts } from './read-fact-table.ts';

const isWirePackage = (name: string) => !name.startsWith('suite.') && name !== 'google.protobuf';

test('the contracts say exactly what the fact tables say', async () => {
  const differences = compareFacts(await readWireFacts(), await factsFromImage(isWirePackage));
  assert.deepEqual(differences, []);
});

test('the fact tables hold every kind of fact', async () => {
  const facts = await readWireFacts();
  const count = (pattern: RegExp) => facts.filter((fact) => pattern.test(fact)).length;
  assert.deepEqual(
    {
      services: count(/^service [^:]+$/),
      methods: count(/^service .*: /),
      messages: count(/^message [^:]+$/),
      fields: count(/^message .*: \d/),
      enums: count(/^enum [^:]+$/),
      values: count(/^enum .*: \d/),
      streams: count(/^service .*stream /),
      maps: count(/: .* map</),
      oneofFields: count(/ oneof /),
      optionalFields: count(/ optional /),
      deprecated: count(/ deprecated$/),
      reserved: count(/: reserved /),
    },
    {
      services: 29,
      methods: 169,
      messages: 471,
      fields: 1249,
      enums: 40,
      values: 164,
      streams: 31,
      maps: 23,
      oneofFields: 28,
      optionalFields: 6,
      deprecated: 8,
      reserved: 3,
    },
  );
});

test('compareFacts() names a renumbered field from both sides and a fact that stands twice', () => {
  assert.deepEqual(
    compareFacts(
      ['message a.B', 'message a.B: 1 x string', 'message a.B'],
      ['message a.B', 'message a.B: 2 x string'],
    ),
    [
      'twice in the table: message a.B',
      'only in the table: message a.B: 1 x string',
      'only in the project: message a.B: 2 x string',
    ],
  );
});
