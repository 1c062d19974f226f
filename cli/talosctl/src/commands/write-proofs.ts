import type { Proof, RunProof } from '@nodewright/node-files';
import type { CliEnvironment } from '../context/command-module.ts';
import { CancelledFault, DifferenceFound } from '../context/failure.ts';
import { naming } from '../context/read-input.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { createStepLines } from './cluster/step-lines.ts';
import type { Converted } from './convert-configurations.ts';

interface Proven extends Proof {
  readonly name: string;
  readonly proven: boolean;
  readonly run?: RunProof;
}

/**
 * Writes to standard output what a node makes of each configuration before and after its conversion. With `isRun`, also what became of
 * nodes of processes that ran the one and got the other.
 *
 * @throws DifferenceFound when something is different that no note of a conversion names, and that the two forms do not explain, or when a
 * service restarted without a cause or no API server answered; the faults of `runProof`
 */
export async function writeProofs(
  env: CliEnvironment,
  results: readonly Converted[],
  { isJson, isRun }: { readonly isJson: boolean; readonly isRun: boolean },
): Promise<void> {
  const { isProven, isShown, proveConfigurations } = await import('@nodewright/node-files');
  const compared = [];
  for (const { source, result } of results) {
    const { before, after, notes } = result;
    const proof = await naming(`cannot compare ${source.name}`, () =>
      proveConfigurations(before, after, notes),
    );
    compared.push({ name: source.name, proof });
  }
  const runs = isRun ? await runAll(env, results) : [];
  const proofs = compared.map(({ name, proof }, at): Proven => {
    const run = runs[at];
    const proven = isProven(proof) && (run === undefined || isShown(run));
    return { name, proven, ...proof, ...(run && { run }) };
  });
  if (isJson) await writeDocument(env.stdout, 'json', { configurations: proofs });
  else await writeTexts(env, proofs);
  if (proofs.some(({ proven }) => !proven)) throw new DifferenceFound('the configurations differ');
}

/** One cluster after the other: three control planes need more than a gigabyte. */
async function runAll(env: CliEnvironment, results: readonly Converted[]): Promise<RunProof[]> {
  const { requireControlPlane, runProof } = await import('../prove-run/run-proof.ts');
  const cannot = (name: string) => `cannot run ${name}`;
  for (const { source, result } of results)
    await naming(cannot(source.name), () => requireControlPlane(result.before));
  const progress = createStepLines(env.stderr);
  const runs: RunProof[] = [];
  for (const { source, result } of results)
    runs.push(
      await runProof(env, result.before, result.after, progress).catch((error) => {
        // After Ctrl-C, the last line says what has become of the command.
        if (error instanceof CancelledFault) throw error;
        return naming(cannot(source.name), () => Promise.reject(error));
      }),
    );
  return runs;
}

async function writeTexts(env: CliEnvironment, proofs: readonly Proven[]): Promise<void> {
  const { formatProof, formatRunProof, isProven, isShown } = await import('@nodewright/node-files');
  for (const { name, run, ...proof } of proofs) {
    const prefix = proofs.length > 1 ? `${name}: ` : '';
    const lines = [
      ...formatProof(proof),
      isProven(proof) ? 'every difference has a named cause' : 'something is different without a named cause',
      ...(run === undefined
        ? []
        : [
            ...formatRunProof(run),
            isShown(run)
              ? 'no service restarted whose files and arguments are equal, and at least one API server answered at each moment'
              : 'a service restarted, ended or started without a cause, or no API server answered for a time',
          ]),
    ];
    env.stdout.write(lines.map((line) => `${escapeEntry(`${prefix}${line}`)}\n`).join(''));
  }
}
