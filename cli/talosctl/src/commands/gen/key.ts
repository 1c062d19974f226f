import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { addOutputOption, type OutputOptions } from '../../nodes/node-options.ts';
import { addGenCommand, createFiles, type GenOptions } from './gen-options.ts';
import { parseFileName } from './parse-names.ts';
import { privateMode } from './planned-file.ts';

interface KeyOptions extends GenOptions, OutputOptions {
  readonly name: string;
}

/** `talosctl gen key`: generates an Ed25519 private key. Source: Talos v1.14: gen key. */
export function defineGenKey(gen: Command, env: CliEnvironment): void {
  addOutputOption(addGenCommand(gen, 'key', 'Generate an Ed25519 private key'))
    .requiredOption('--name <name>', 'name of the file to write, without .key', parseFileName)
    .action(async (_options: KeyOptions, command: Command) => {
      const options = command.optsWithGlobals<KeyOptions>();
      const { encodePrivateKey, generateKey } = await import('@nodewright/pki');
      const text = encodePrivateKey((await generateKey('ed25519')).privateKey);
      await createFiles(
        env,
        [{ path: `${options.name}.key`, text, mode: privateMode }],
        options,
        options.output,
      );
    });
}
