// Converts generated configurations to documents and back. None may change what a node does without a line that says so.
import { performance } from 'node:perf_hooks';
import {
  compareEffective,
  convertConfigurationText,
  encodeConfiguration,
  legacyKind,
  loadConfiguration,
  unexplained,
  validateConfiguration,
} from '@nodewright/machine-config';
import { formatProof, isProven, proveConfigurations } from '@nodewright/node-files';
import fc from 'fast-check';
import { arbitraryOldForm } from '../../../packages/machine-config/src/convert/arbitrary-configuration.ts';

export interface ConversionFigures {
  readonly converted: number;
  /** Generated ones that validation refuses. */
  readonly refused: number;
  readonly slowest: { readonly seed: number; readonly milliseconds: number };
}

export interface ConversionRun {
  /** Of the first configuration; each of the next ones has the next one. */
  readonly seed: number;
  readonly runs: number;
  /** Called before each; true ends the run. */
  readonly until?: (done: number) => boolean;
}

/** The configuration of a seed, as text. */
export function generatedText(seed: number): string {
  const [value] = fc.sample(arbitraryOldForm, { seed, numRuns: 1 });
  return encodeConfiguration([{ kind: legacyKind, value: value ?? {} }]);
}

/** @throws Error that names the seed of the first configuration that loses something, and what */
export function convertGenerated({ seed: first, runs, until }: ConversionRun): ConversionFigures {
  let [converted, refused] = [0, 0];
  let slowest = { seed: first, milliseconds: 0 };
  for (let at = 0; at < runs && until?.(at) !== true; at++) {
    const seed = first + at;
    const started = performance.now();
    const text = generatedText(seed);
    const before = loadConfiguration(text);
    const checked = validateConfiguration(before, { mode: 'cloud', local: true, isInstalled: true });
    if (checked.errors.length > 0) {
      refused += 1;
      continue;
    }
    converted += 1;
    const lost = lostBy(text);
    if (lost.length > 0) throw new Error(`seed ${seed}: ${lost.join('\n')}`);
    const milliseconds = performance.now() - started;
    if (milliseconds > slowest.milliseconds) slowest = { seed, milliseconds };
  }
  return { converted, refused, slowest };
}

function lostBy(text: string): string[] {
  const there = convertConfigurationText(text);
  const after = loadConfiguration(there.text);
  const proof = proveConfigurations(there.before, after, there.notes);
  if (!isProven(proof)) return formatProof({ ...proof, unproven: [] });
  if (convertConfigurationText(there.text).text !== there.text)
    return ['a second conversion changes it again'];
  const back = convertConfigurationText(there.text, { to: 'sections' });
  const differences = compareEffective(there.before, loadConfiguration(back.text));
  return unexplained(differences, [...there.notes, ...back.notes]).map(
    ({ path, kind }) => `${path} is ${kind} after the way back`,
  );
}
