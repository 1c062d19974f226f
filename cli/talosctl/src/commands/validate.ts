import { Fault, faultFrom } from '@nodewright/fault';
import type { ValidationMode } from '@nodewright/machine-config';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import { ReportedFailure } from '../failure.ts';
import { addOutputOption, type OutputOptions } from '../node-options.ts';
import { escapeEntry } from '../output/escape-text.ts';
import { writeDocument } from '../render/document.ts';
import { acceptBooleanValues } from './gen/accept-boolean-values.ts';

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
    const result = validateConfiguration(loadConfiguration(text), { mode, strict, local: true });
    return { ...result, message: validationMessage(result)?.trimEnd() };
  } catch (error) {
    const { kind, message } = faultFrom(error);
    if (kind !== 'invalid-argument') throw error;
    return { warnings: [], errors: [message], message };
  }
}

async function validate(env: CliEnvironment, options: ValidateCommandOptions): Promise<void> {
  const { config: file, mode, output } = options;
  const { name, text } = await readConfigFile(env, file);
  const { warnings, errors, message } = await check(text, options);
  if (output !== 'table') {
    const isValid = errors.length === 0;
    const texts = errors.map((error) => error.trimEnd());
    await writeDocument(env.stdout, output, { file, mode, valid: isValid, warnings, errors: texts });
    if (!isValid) throw new ReportedFailure();
    return;
  }
  for (const warning of warnings) env.stderr.write(`WARNING: ${escapeEntry(warning)}\n`);
  if (message !== undefined) {
    throw new Fault('invalid-argument', `${name} is not valid for ${mode} mode: ${message}`);
  }
  env.stdout.write(`${file} is valid for ${mode} mode\n`);
}

/** `talosctl validate`: validates a file without contacting a node. Source: Talos v1.14: validate. */
export const validateCommand: CommandModule = {
  define(command: Command, env) {
    acceptBooleanValues(addOutputOption(command))
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
