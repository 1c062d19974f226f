import { Fault, faultFrom } from '@nodewright/fault';
import type { ValidationMode } from '@nodewright/machine-config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { inertLines } from '../configuration/inert-lines.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { ReportedFailure } from '../context/failure.ts';
import { addOutputOption, type OutputOptions } from '../nodes/node-options.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';

interface ValidateCommandOptions extends OutputOptions {
  readonly config: string;
  readonly mode: ValidationMode;
  readonly strict: boolean;
}

interface Verdict {
  readonly warnings: readonly string[];
  readonly errors: readonly string[];
  /** The errors as one text; `undefined` when there are none. */
  readonly message: string | undefined;
  /** What nodes would not act on. No part of the verdict; empty for a configuration that is not valid. */
  readonly notes: readonly string[];
}

const modes: readonly ValidationMode[] = ['metal', 'cloud', 'container'];

/**
 * The help text does not list `metal-agent`, which is accepted too.
 * Source: Talos v1.14: machine configuration, validation modes.
 */
function parseMode(text: string): ValidationMode {
  const mode = [...modes, 'metal-agent' as const].find((known) => known === text);
  if (mode === undefined) throw new InvalidArgumentError(`It must be one of ${modes.join(', ')}.`);
  return mode;
}

/** Validates a configuration. A decoding failure becomes its only error. */
async function check(text: string, { mode, strict }: ValidateCommandOptions): Promise<Verdict> {
  const { loadConfiguration, validateConfiguration, validationMessage } = await import(
    '@nodewright/machine-config'
  );
  try {
    const configuration = loadConfiguration(text);
    const result = validateConfiguration(configuration, { mode, strict, local: true });
    const message = validationMessage(result)?.trimEnd();
    const node = mode === 'container' ? 'container' : 'machine';
    return { ...result, message, notes: message === undefined ? await inertLines(configuration, node) : [] };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'invalid-argument') throw error;
    return { warnings: [], errors: [message], message, notes: [] };
  }
}

async function validate(env: CliEnvironment, options: ValidateCommandOptions): Promise<void> {
  const { config: file, mode, output } = options;
  const { name, text } = await readConfigFile(env, file);
  const { warnings, errors, message, notes } = await check(text, options);
  if (output !== 'table') {
    const isValid = errors.length === 0;
    const texts = errors.map((error) => error.trimEnd());
    await writeDocument(env.stdout, output, { file, mode, valid: isValid, warnings, errors: texts, notes });
    if (!isValid) throw new ReportedFailure();
    return;
  }
  for (const warning of warnings) env.stderr.write(`WARNING: ${escapeEntry(warning)}\n`);
  if (message !== undefined) {
    throw new Fault('invalid-argument', `${name} is not valid for ${mode} mode: ${message}`);
  }
  env.stdout.write(`${file} is valid for ${mode} mode\n`);
  for (const note of notes) env.stderr.write(`NOTE: ${note}\n`);
}

/** `talosctl validate`: validates a file without contacting a node. Source: Talos v1.14: validate. */
export const validateCommand: CommandModule = {
  define(command: Command, env) {
    addOutputOption(command)
      .requiredOption('-c, --config <path>', 'machine configuration to validate; - is standard input')
      .addOption(
        new Option('-m, --mode <mode>', 'mode to validate for: how the machine runs')
          .choices(modes)
          .argParser(parseMode)
          .makeOptionMandatory(),
      )
      .option('--strict', 'treat warnings about the v1alpha1 document as errors', false)
      .action((options: ValidateCommandOptions) => validate(env, options));
  },
};
