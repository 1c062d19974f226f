import assert from 'node:assert/strict';
import { Fault } from '@nodewright/fault';
import {
  applyPatches,
  type Configuration,
  diffConfigurations,
  effectiveConfig,
  encodeConfiguration,
  loadConfiguration,
  parsePatch,
  redactConfiguration,
  validateConfiguration,
  validationMessage,
} from '@nodewright/machine-config';

/** The result for a text. */
export type Verdict = 'refused' | 'read' | 'valid';

/**
 * Does everything with the text that is done with configurations. Throws unless the result is valid or a
 * Fault `invalid-argument` with a position, and when encoding and decoding changes what was read.
 */
export function judge(text: string): Verdict {
  refusalOf(() => parsePatch(text), /line \d+, column \d+|^config not found$|^JSON patch: /);
  let configuration: Configuration | undefined;
  if (refusalOf(() => (configuration = loadConfiguration(text)), /line \d+, column \d+|^config not found$/))
    return 'refused';
  const read = configuration as Configuration;
  const written = encodeConfiguration(read);
  const again = loadConfiguration(written);
  assert.equal(encodeConfiguration(again), written, 'what was written is not read again the same');
  assert.equal(diffConfigurations(read, again), '');
  const bare = read.map(({ kind, value }) => ({ kind, value }));
  assert.deepEqual(applyPatches(bare, []), bare);
  encodeConfiguration(redactConfiguration(read));
  refusalOf(() => effectiveConfig(read), /line \d+, column \d+/);
  const result = validateConfiguration(read, { mode: 'metal' });
  return validationMessage(result) === undefined ? 'valid' : 'read';
}

/** The Fault that the body threw, if any; it must be `invalid-argument` with a position. */
function refusalOf(body: () => unknown, position: RegExp): Fault | undefined {
  try {
    body();
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    assert.equal(error.kind, 'invalid-argument', String(error));
    assert.match(error.message, position, 'an error without a position');
    return error;
  }
}
