import type { Fault } from '@nodewright/fault';
import { Argument } from 'commander';
import { collectTexts } from '../collect-texts.ts';
import type { CliEnvironment, CommandModule } from '../command-module.ts';
import { type ApplyOptions, addApplyOptions, applyConfiguration } from '../configuration/apply-options.ts';
import { ApplyReport } from '../configuration/apply-report.ts';
import { warnOfDecoding } from '../configuration/local-check.ts';
import { patchText } from '../configuration/patch-text.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../node-options.ts';
import { openClient } from '../open-client.ts';
import { Progress } from '../progress.ts';
import { readPatches } from './gen/read-patches.ts';

interface ApplyConfigOptions extends NodeOptions, OutputOptions, ApplyOptions {
  readonly file: string;
  readonly configPatch?: readonly string[];
}

/** The configuration to send: the text of the file, with the patches applied. */
async function textToSend(env: CliEnvironment, { file, configPatch }: ApplyConfigOptions): Promise<string> {
  const { name, text } = await readConfigFile(env, file);
  if (configPatch === undefined) {
    await warnOfDecoding(env, name, text);
    return text;
  }
  const patches = await readPatches(env.cwd, '--config-patch', configPatch);
  return (await patchText(name, text, patches)).text;
}

/** Whether the fault says that no trusted CA issued the node's certificate, as is the case in maintenance mode. */
function mayBeInMaintenance({ message }: Fault): boolean {
  return /certificate is (?:self-signed and )?not issued by/.test(message);
}

async function applyConfig(env: CliEnvironment, options: ApplyConfigOptions): Promise<void> {
  const text = await textToSend(env, options);
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const missing = new Set(names);
  const report = new ApplyReport(env, options, names);
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const results = client.fanOut((node, signal) => applyConfiguration(node, text, options, signal), {
    signal: env.signal,
  });
  const maybeInMaintenance: string[] = [];
  for await (const { node, value, fault } of results) {
    missing.delete(node);
    progress.pause();
    if (fault === undefined) report.applied(node, value);
    else report.failed(node, fault);
    if (fault !== undefined && mayBeInMaintenance(fault)) maybeInMaintenance.push(node);
  }
  progress[Symbol.dispose]();
  if (maybeInMaintenance.length > 0 && !options.insecure) {
    const names = maybeInMaintenance.join(', ');
    report.sayLast(
      `if ${names} has no configuration yet, send it with --insecure and the node's address in --nodes`,
    );
  }
  await report.end();
}

/** `talosctl apply-config -f <file>`. Source: Talos v1.14: apply-config. */
export const applyConfigCommand: CommandModule = {
  define(command, env) {
    const what = new Argument('[what]', 'optional word, as in "talosctl apply config"');
    addApplyOptions(addOutputOption(addInsecureOptions(addNodeOptions(command))))
      .addArgument(what.choices(['config', 'machineconfig']))
      .requiredOption('-f, --file <path>', 'machine configuration to send; - is standard input')
      .option(
        '-p, --config-patch <patch>',
        'patch to apply before sending: text, or @file (repeatable)',
        collectTexts,
      )
      .action((_what: string | undefined, options: ApplyConfigOptions) => applyConfig(env, options));
  },
};
