import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Configuration } from '../config-document.ts';
import { loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';
import { legacyKind } from '../schema/document-schema.ts';
import { validateConfiguration } from '../validate/validate-configuration.ts';
import { arbitraryOldForm } from './arbitrary-configuration.ts';
import { compareEffective, unexplained } from './compare-effective.ts';
import { convertConfigurationText } from './convert-configuration.ts';

/** `CONVERT_RUNS=20000` is the long form. */
const numRuns = Number(process.env.CONVERT_RUNS ?? 200);

const isValid = (configuration: Configuration) =>
  validateConfiguration(configuration, { mode: 'cloud', local: true, isInstalled: true }).errors.length === 0;

test('a conversion changes nothing for a node that it does not name', () => {
  let converted = 0;
  fc.assert(
    fc.property(arbitraryOldForm, (value) => {
      const text = encodeConfiguration([{ kind: legacyKind, value }]);
      const before = loadConfiguration(text);
      if (!isValid(before)) return;
      converted++;
      const result = convertConfigurationText(text);
      const after = loadConfiguration(result.text);
      assert.deepEqual(unexplained(compareEffective(before, after), result.notes), []);
      // What is converted already stays as it is, byte by byte.
      assert.equal(convertConfigurationText(result.text).text, result.text);
      // Back again, nothing is different but what one of the two conversions named.
      const back = convertConfigurationText(result.text, { to: 'sections' });
      const differences = compareEffective(before, loadConfiguration(back.text));
      assert.deepEqual(unexplained(differences, [...result.notes, ...back.notes]), []);
    }),
    { numRuns },
  );
  assert.ok(converted > numRuns / 2, `${converted} of ${numRuns} were valid`);
});
