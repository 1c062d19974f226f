import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  compareEffective,
  convertConfigurationText,
  loadConfiguration,
  unexplained,
} from '@nodewright/machine-config';
import { formatProof, isProven, proveConfigurations } from '@nodewright/node-files';
import { conversionCorpus } from './conversion-corpus.ts';
import { mistakes, sourceOfMistakes } from './planted-mistakes.ts';

const { entries, left } = await conversionCorpus();
const other = { sections: 'documents', documents: 'sections' } as const;

test('the corpus has at least sixty configurations, and every key of the reference', () => {
  assert.ok(entries.length >= 60, `${entries.length} configurations`);
  assert.deepEqual(left, []);
  assert.equal(new Set(entries.map(({ name }) => name)).size, entries.length);
});

for (const { name, text, form } of entries)
  test(`a conversion of this configuration is proven, and back again nothing is lost: ${name}`, () => {
    const there = convertConfigurationText(text, { to: other[form] });
    const proof = proveConfigurations(there.before, loadConfiguration(there.text), there.notes);
    assert.ok(isProven(proof), formatProof(proof).join('\n'));
    const back = convertConfigurationText(there.text, { to: form });
    const differences = compareEffective(there.before, loadConfiguration(back.text));
    assert.deepEqual(unexplained(differences, [...there.notes, ...back.notes]), []);
  });

test('a proof finds and names each planted mistake, and nothing without one', () => {
  const { before, after, notes } = convertConfigurationText(sourceOfMistakes);
  assert.ok(isProven(proveConfigurations(before, after, notes)));
  assert.ok(mistakes.length >= 30);
  const missed = mistakes.flatMap(({ name, plant, names }) => {
    const proof = proveConfigurations(before, plant(after), notes);
    const lines = formatProof({ ...proof, unproven: [] }).filter((line) => line.startsWith('DIFFERENT: '));
    return !isProven(proof) && lines.some((line) => names.test(line)) ? [] : [[name, ...lines]];
  });
  assert.deepEqual(missed, []);
});
