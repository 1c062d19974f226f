import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareFacts } from './compare-facts.ts';
import { factsFromImage } from './facts-from-image.ts';
import { readWireFacts } from './read-fact-table.ts';

const isWirePackage = (name: string) => !name.startsWith('suite.') && name !== 'google.protobuf';

/** Fields of our own are numbered from 1000 on, where upstream has none. */
const isOwnField = (fact: string) => /^message \S+: \d{4,} /.test(fact);

test('the contracts agree exactly with the fact tables, apart from fields of our own', async () => {
  const facts = await readWireFacts();
  assert.deepEqual(facts.filter(isOwnField), []);
  const ours = (await factsFromImage(isWirePackage)).filter((fact) => !isOwnField(fact));
  assert.deepEqual(compareFacts(facts, ours), []);
});

test('the fact tables hold every kind of fact', async () => {
  const facts = await readWireFacts();
  const patterns = {
    services: /^service [^:]+$/,
    methods: /^service .*: /,
    messages: /^message [^:]+$/,
    fields: /^message .*: \d/,
    enums: /^enum [^:]+$/,
    values: /^enum .*: \d/,
    streams: /^service .*stream /,
    maps: /: .* map</,
    oneofFields: / oneof /,
    optionalFields: / optional /,
    deprecated: / deprecated$/,
    reserved: /: reserved /,
  };
  const missing = Object.entries(patterns).filter(([, pattern]) => !facts.some((fact) => pattern.test(fact)));
  assert.deepEqual(missing, []);
});

test('compareFacts() reports a renumbered field from both sides, and a duplicate fact', () => {
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
