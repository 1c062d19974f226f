import type { TalosClient } from '@nodewright/client';
import type { Fault } from '@nodewright/fault';
import { Argument } from 'commander';
import { type ApplyOptions, addApplyOptions, applyConfiguration } from '../configuration/apply-options.ts';
import { ApplyReport } from '../configuration/apply-report.ts';
import { confirmCut, findCut } from '../configuration/confirm-cut.ts';
import { refuseForeign } from '../configuration/confirm-foreign.ts';
import { warnOfDecoding } from '../configuration/local-check.ts';
import { activeConfiguration } from '../configuration/node-configuration.ts';
import { patchText } from '../configuration/patch-text.ts';
import { readConfigFile } from '../configuration/read-config-file.ts';
import { collectTexts } from '../context/collect-texts.ts';
import type { CliEnvironment, CommandModule } from '../context/command-module.ts';
import { InterruptedFailure } from '../context/failure.ts';
import { Progress } from '../context/progress.ts';
import {
  addInsecureOptions,
  addNodeOptions,
  addOutputOption,
  type NodeOptions,
  type OutputOptions,
} from '../nodes/node-options.ts';
import { openClient } from '../nodes/open-client.ts';
import { readPatches } from './gen/read-patches.ts';

interface ApplyConfigOptions extends NodeOptions, OutputOptions, ApplyOptions {
  readonly file: string;
  readonly configPatch?: readonly string[];
}

/**
 * How long to wait for the active configuration of a node. One that hangs must keep neither itself nor the others from a new configuration.
 */
const readTimeoutMs = 5_000;

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

/**
 * Returns the nodes that the configuration must not be sent to, with the reason. A node whose active configuration
 * cannot be read in time is not among them: it may be in maintenance mode, and it says itself why it refuses.
 *
 * @throws InterruptedFailure after Ctrl-C
 */
async function foreignNodes(
  env: CliEnvironment,
  client: TalosClient,
  after: string,
  options: ApplyConfigOptions,
): Promise<ReadonlyMap<string, Fault>> {
  const refused = new Map<string, Fault>();
  if (options.insecure || options.dryRun || options.yes) return refused;
  const active = client.fanOut(
    (node, signal) => {
      const within = AbortSignal.any([signal, AbortSignal.timeout(readTimeoutMs)]);
      return activeConfiguration({ ...env, signal: within }, node);
    },
    { signal: env.signal },
  );
  const known: { node: string; before: string }[] = [];
  for await (const { node, value, fault } of active) {
    if (fault === undefined) known.push({ node, before: value });
  }
  if (env.signal.aborted) throw new InterruptedFailure('nothing was sent');
  for (const { node, before } of known) {
    const fault = await refuseForeign(env, { node, before, after }, options);
    if (fault !== undefined) refused.set(node, fault);
  }
  return refused;
}

/** As `foreignNodes()`, and those that the configuration would cut off. */
async function refusedNodes(
  env: CliEnvironment,
  client: TalosClient,
  text: string,
  options: ApplyConfigOptions,
): Promise<ReadonlyMap<string, Fault>> {
  const refused = new Map(await foreignNodes(env, client, text, options));
  // The first configuration of a machine ends the lease that it is called by, as it is meant to.
  if (options.insecure) return refused;
  const nodes = client.targets.filter(({ name }) => !refused.has(name));
  const cuts = await Promise.all(
    nodes.map(async (node) => ({
      ...{ name: node.name, used: await findCut(env, { node, client, text }, options) },
    })),
  );
  for (const { name, used } of cuts) {
    const fault = await confirmCut(env, name, used, options);
    if (fault !== undefined) refused.set(name, fault);
  }
  return refused;
}

async function applyConfig(env: CliEnvironment, options: ApplyConfigOptions): Promise<void> {
  const text = await textToSend(env, options);
  using client = await openClient(env, options);
  const names = client.targets.map(({ name }) => name);
  const report = new ApplyReport(env, options, names);
  let refused: ReadonlyMap<string, Fault>;
  try {
    refused = await refusedNodes(env, client, text, options);
  } catch (error) {
    if (!(error instanceof InterruptedFailure)) throw error;
    for (const name of names) report.interrupted(name);
    return report.end();
  }
  const missing = new Set(names.filter((name) => !refused.has(name)));
  using progress = new Progress(env.stderr, () => `waiting for ${[...missing].join(', ')}`);
  const results = client.fanOut(
    (node, signal) => {
      const reason = refused.get(node.name);
      if (reason !== undefined) return Promise.reject(reason);
      return applyConfiguration(node, text, options, signal);
    },
    { signal: env.signal },
  );
  const maybeInMaintenance: string[] = [];
  for await (const { node, value, fault } of results) {
    missing.delete(node);
    progress.pause();
    const reason = refused.get(node);
    if (reason !== undefined) report.stopped(node, reason);
    else if (fault === undefined) report.applied(node, value);
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
