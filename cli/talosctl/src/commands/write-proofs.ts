import type { CliEnvironment } from '../context/command-module.ts';
import { DifferenceFound } from '../context/failure.ts';
import { naming } from '../context/read-input.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import type { Converted } from './convert-configurations.ts';

/**
 * Writes to standard output what a node makes of each configuration before and after its conversion.
 *
 * @throws DifferenceFound when something is different that no note of a conversion names, and that the two forms do not explain
 */
export async function writeProofs(
  env: CliEnvironment,
  results: readonly Converted[],
  isJson: boolean,
): Promise<void> {
  const { formatProof, isProven, proveConfigurations } = await import('@nodewright/node-files');
  const proofs = [];
  for (const { source, result } of results) {
    const { before, after, notes } = result;
    const proof = await naming(`cannot compare ${source.name}`, () =>
      proveConfigurations(before, after, notes),
    );
    proofs.push({ name: source.name, proven: isProven(proof), ...proof });
  }
  if (isJson) await writeDocument(env.stdout, 'json', { configurations: proofs });
  else
    for (const { name, proven, ...proof } of proofs) {
      const prefix = results.length > 1 ? `${name}: ` : '';
      const end = proven
        ? 'every difference has a named cause'
        : 'something is different without a named cause';
      const lines = [...formatProof(proof), end];
      env.stdout.write(lines.map((line) => `${escapeEntry(`${prefix}${line}`)}\n`).join(''));
    }
  if (proofs.some(({ proven }) => !proven)) throw new DifferenceFound('the configurations differ');
}
