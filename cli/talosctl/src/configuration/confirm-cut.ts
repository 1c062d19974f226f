import { isIP, isIPv6, SocketAddress } from 'node:net';
import type { NodeClient, TalosClient } from '@nodewright/client';
import { Fault } from '@nodewright/fault';
import { codecsOf, pointerTo } from '@nodewright/state';
import { createStateClient } from '@nodewright/state/wire';
import type { CliEnvironment } from '../context/command-module.ts';
import { InterruptedFailure } from '../context/failure.ts';
import { continueQuestionFor } from '../nodes/ask-question.ts';
import type { NodeOptions } from '../nodes/node-options.ts';
import { openQuestions } from '../nodes/open-questions.ts';
import { escapeLine } from '../output/escape-text.ts';
import { type ApplyOptions, applyConfiguration } from './apply-options.ts';

export interface CutChange {
  readonly node: NodeClient;
  readonly client: Pick<TalosClient, 'endpoints'>;
  /** The configuration to send. */
  readonly text: string;
}

/** How long a node may take to say whether it is a machine, and then to answer the dry run: without an answer nothing is asked. */
const readTimeoutMs = 5_000;
const answerTimeoutMs = 30_000;

/**
 * Asks before a configuration is sent that takes an address away by which the node is called. With mode `try` the change comes back by
 * itself, so that it only warns.
 *
 * @returns why the configuration must not be sent; `undefined` to send it
 * @throws InterruptedFailure after Ctrl-C
 */
export async function refuseCut(
  env: CliEnvironment,
  change: CutChange,
  options: ApplyOptions & NodeOptions,
): Promise<Fault | undefined> {
  return confirmCut(env, change.node.name, await findCut(env, change, options), options);
}

/**
 * The addresses by which the node is called and that it would lose. The node says which it would lose: a machine is asked by a dry run;
 * other nodes, and those of upstream, set no addresses or do not say it.
 *
 * @throws InterruptedFailure after Ctrl-C
 */
export async function findCut(
  env: CliEnvironment,
  { node, client, text }: CutChange,
  options: ApplyOptions,
): Promise<readonly string[]> {
  const { dryRun, yes = false, mode } = options;
  if (dryRun || mode === 'staged' || (yes && mode !== 'try')) return [];
  const lost = await lostAddresses(env, { node, text }, options);
  if (env.signal.aborted) throw new InterruptedFailure('nothing was sent');
  return usedOf(lost, node.name, client);
}

/** As `refuseCut()`, when the addresses are known. */
export async function confirmCut(
  env: CliEnvironment,
  node: string,
  used: readonly string[],
  options: ApplyOptions & NodeOptions,
): Promise<Fault | undefined> {
  const { mode } = options;
  if (used.length === 0) return undefined;
  const what = `this configuration takes the address ${used.join(', ')} away, by which the node is called`;
  const warn = (more: string) => env.stderr.write(`${escapeLine(`${node}: WARNING: ${what}${more}`)}\n`);
  if (mode === 'try') {
    warn(': its answer may be lost, and the address comes back when the time of the trial ends');
    return undefined;
  }
  if (!env.isInteractive) {
    const advice = 'there is no terminal to confirm it on: add flag --yes, or try it with --mode=try';
    return new Fault('failed-precondition', `${escapeLine(what)}; ${advice}`);
  }
  warn('');
  using questions = openQuestions(env);
  if (await questions.isConfirmed(`${await continueQuestionFor(env, options)}: `)) return undefined;
  return new Fault('cancelled', 'not confirmed');
}

/** Empty when the node does not say it. What is wrong with the configuration is the answer to the call that sends it. */
async function lostAddresses(
  { signal }: CliEnvironment,
  { node, text }: Pick<CutChange, 'node' | 'text'>,
  options: ApplyOptions,
): Promise<readonly string[]> {
  const within = (ms: number) => AbortSignal.any([signal, AbortSignal.timeout(ms)]);
  try {
    if (!(await setsAddresses(node, within(readTimeoutMs)))) return [];
    const limit = within(answerTimeoutMs);
    // Only in this mode does a dry run leave a running trial as it is, which the user may still want after answering no.
    const dryRun = { ...options, dryRun: true, mode: 'try' } as const;
    return (await applyConfiguration(node, text, dryRun, limit)).lostAddresses;
  } catch {
    return [];
  }
}

/** Whether the node is a machine of ours, which sets the addresses of its specifications. */
async function setsAddresses({ state }: NodeClient, signal: AbortSignal): Promise<boolean> {
  const { specExplanations } = await import('@nodewright/state/kinds');
  const client = createStateClient({ client: state, codecs: codecsOf([specExplanations]) });
  const { spec } = await client.get(pointerTo(specExplanations, 'addresses'), { signal });
  return spec.unmanaged === '';
}

/** Those that this program or its endpoint calls. The cluster resolves the name of a node, so that any of them may be the one. */
async function usedOf(
  lost: readonly string[],
  name: string,
  { endpoints }: CutChange['client'],
): Promise<readonly string[]> {
  if (lost.length === 0) return [];
  if (isIP(name) === 0) return lost;
  const hosts = await Promise.all(endpoints.map(({ host }) => addressesOf(host)));
  const used = new Set([name, ...hosts.flat()].map(shortForm));
  return lost.filter((address) => used.has(shortForm(address)));
}

/** An address of IPv6 may be written in several ways, and with the link that it is reached by. */
function shortForm(text: string): string {
  const [address = ''] = text.split('%', 1);
  return isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address;
}

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  const { lookup } = await import('node:dns/promises');
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
