import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import { inertLines } from '../configuration/inert-lines.ts';
import { patchText } from '../configuration/patch-text.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import { collectTexts } from '../context/collect-texts.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { defineMachineconfigConvert } from './convert-configurations.ts';
import { defineMachineconfigDiff } from './diff-configurations.ts';
import { defineGenConfig } from './gen/config.ts';
import { publicMode } from './gen/planned-file.ts';
import { readPatches } from './gen/read-patches.ts';
import { writeFiles } from './gen/write-files.ts';

interface PatchOptions {
  readonly patch?: readonly string[];
  readonly output?: string;
}

async function patchFile(env: CliEnvironment, path: string, { patch, output }: PatchOptions): Promise<void> {
  const { name, text } = await readConfigFile(env, path);
  const patches = await readPatches(env.cwd, '--patch', patch);
  const patched = await patchText(name, text, patches);
  if (output === undefined || output === '-') {
    env.stdout.write(`${patched.text}\n`);
    return writeNotes(env, patched.text);
  }
  // Keep the permissions of an existing file.
  const before = await stat(resolve(env.cwd, output)).catch(() => undefined);
  const mode = before?.isFile() ? before.mode & 0o777 : publicMode;
  await writeFiles([{ path: output, text: patched.text, mode }], { cwd: env.cwd, force: true });
  await writeNotes(env, patched.text);
}

/** What machines would not act on. Without patches the text may be no configuration: nothing has decoded it. */
async function writeNotes(env: CliEnvironment, text: string): Promise<void> {
  const { loadConfiguration } = await import('@nodewright/machine-config');
  try {
    const notes = await inertLines(loadConfiguration(text), 'machine');
    for (const note of notes) env.stderr.write(`NOTE: ${note}\n`);
  } catch (error) {
    if (faultFrom(error).kind !== 'invalid-argument') throw error;
  }
}

function defineMachineconfigPatch(machineconfig: Command, env: CliEnvironment): void {
  machineconfig
    .command('patch')
    .description('Apply patches to a machine configuration in a file')
    .argument('<file>', 'machine configuration; - is standard input')
    .option('-p, --patch <patch>', 'patch: text, or @file (repeatable)', collectTexts)
    .option('-o, --output <path>', 'file to write (default: standard output)')
    .action((path: string, options: PatchOptions) => patchFile(env, path, options));
}

/** `talosctl machineconfig gen|patch|convert|diff`: works on files; `convert` and `diff` also on the configurations of nodes. Source: Talos v1.14: machineconfig. */
export const machineconfigCommand: CommandModule = {
  define(command, env) {
    defineGenConfig(command, env, 'gen').option('-f, --force', 'overwrite files that exist');
    defineMachineconfigPatch(command, env);
    defineMachineconfigConvert(command, env);
    defineMachineconfigDiff(command, env);
  },
};
