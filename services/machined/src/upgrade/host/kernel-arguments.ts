import { extraArgumentProblem, type Slot, slotEntry, slotFiles, withExtraArguments } from '@nodewright/boot';
import { Fault } from '@nodewright/fault';
import type { PartitionFiles } from './partition-files.ts';

/** Checks the arguments of a configuration before anything is written. @throws Fault `failed-precondition` that names one */
export function requireKernelArguments(extra: readonly string[], commandLine = ''): void {
  const problem = extraArgumentProblem(commandLine, extra);
  if (problem !== undefined) throw new Fault('failed-precondition', problem);
}

/**
 * Adds the arguments to both places on BOOT that have the command line of a slot. The unified kernel has its own, which is signed.
 *
 * @param tag the version of the system in the slot
 */
export async function addKernelArguments(
  files: Pick<PartitionFiles, 'read' | 'write'>,
  { slot, tag, extra }: { readonly slot: Slot; readonly tag: string; readonly extra: readonly string[] },
): Promise<void> {
  if (extra.length === 0) return;
  const line = Buffer.concat(await Array.fromAsync(files.read(`${slot}/${slotFiles.commandLine}`)));
  const text = line.toString('latin1');
  requireKernelArguments(extra, text);
  const commandLine = withExtraArguments(text, extra);
  await files.write(`${slot}/${slotFiles.commandLine}`, [Buffer.from(`${commandLine}\n`)]);
  await files.write(`${slot}/${slotFiles.entry}`, [Buffer.from(slotEntry({ slot, tag, commandLine }))]);
}
