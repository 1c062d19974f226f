import { readTalosconfig } from '@nodewright/client/talosconfig';
import type { Command, Option } from 'commander';
import type { CliEnvironment } from '../command-module.ts';
import type { NodeOptions } from '../node-options.ts';
import { outputFormats } from '../render/document.ts';
import { talosconfigLocation } from '../talosconfig-of.ts';
import { filesDirective, startingWith } from './complete.ts';
import { askTimeoutMs, knownEndpoints, knownNodes } from './known-nodes.ts';
import { completionScripts } from './scripts.ts';

export interface CompletionRequest {
  readonly env: CliEnvironment;
  readonly command: Command;
  /** Arguments before the cursor. */
  readonly args: readonly string[];
  /** What the options before the cursor say. */
  readonly nodeOptions: Partial<NodeOptions>;
}

async function contextNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const { contexts } = await readTalosconfig(talosconfigLocation(env, nodeOptions).path);
  return [...contexts.keys()].sort();
}

async function nodeNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const { names, addresses } = await knownNodes(env, nodeOptions);
  return [...new Set([...names, ...addresses])];
}

async function endpoints({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  return [...new Set(await knownEndpoints(env, nodeOptions))];
}

/** Completes the last word of a list, keeping those before it. */
function listCandidates(typed: string, names: readonly string[]): readonly string[] {
  const done = typed.slice(0, typed.lastIndexOf(',') + 1);
  const taken = new Set(done.split(','));
  return startingWith(
    typed,
    names.filter((name) => !taken.has(name)).map((name) => done + name),
  );
}

async function serviceIds({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const [{ openClient }, { listServices }] = await Promise.all([
    import('../open-client.ts'),
    import('../service-rows.ts'),
  ]);
  using client = await openClient(env, nodeOptions);
  const ids = new Set<string>();
  const results = client.fanOut(listServices, { signal: AbortSignal.timeout(askTimeoutMs) });
  for await (const { value } of results) for (const { id } of value ?? []) ids.add(id);
  return [...ids].sort();
}

async function interfaceNames({ env, nodeOptions }: CompletionRequest): Promise<readonly string[]> {
  const [{ openClient }, { onlyMessage }] = await Promise.all([
    import('../open-client.ts'),
    import('../only-message.ts'),
  ]);
  using client = await openClient(env, nodeOptions);
  const names = new Set<string>();
  const results = client.fanOut(
    async ({ machine }, signal) => onlyMessage(await machine.networkDeviceStats({}, { signal })).devices,
    { signal: AbortSignal.timeout(askTimeoutMs) },
  );
  for await (const { value } of results) for (const { name } of value ?? []) names.add(name);
  return [...names].sort();
}

async function pathsOnNode(
  typed: string,
  { env, nodeOptions }: CompletionRequest,
): Promise<readonly string[]> {
  const [{ openClient }, { nodePaths }] = await Promise.all([
    import('../open-client.ts'),
    import('./node-paths.ts'),
  ]);
  using client = await openClient(env, nodeOptions);
  const [node] = client.targets;
  return node === undefined ? [] : await nodePaths(node, typed, AbortSignal.timeout(askTimeoutMs));
}

/** Candidates for the value of an option. */
export async function completeOptionValue(
  option: Option,
  typed: string,
  request: CompletionRequest,
): Promise<readonly string[]> {
  switch (option.attributeName()) {
    case 'context':
      return startingWith(typed, await contextNames(request));
    case 'nodes':
      return listCandidates(typed, await nodeNames(request));
    case 'endpoints':
      return listCandidates(typed, await endpoints(request));
    case 'output':
      if (option.argChoices !== undefined) return startingWith(typed, option.argChoices);
      if (option.long !== '--output' || !option.description.startsWith('output format'))
        return [filesDirective];
      if (option.description.includes('jsonpath='))
        return startingWith(typed, [...outputFormats, 'jsonpath=']);
      return startingWith(typed, outputFormats);
    case 'sort':
      return startingWith(typed, ['cpu', 'rss']);
    case 'type':
      return listCandidates(typed, ['d', 'f', 'l']);
    case 'interface':
      return startingWith(typed, await interfaceNames(request));
    case 'check':
    case 'bpfFilter':
    case 'tail':
    case 'depth':
    case 'threshold':
    case 'duration':
    case 'since':
    case 'actorId':
    case 'waitTimeout':
    case 'initNode':
    case 'controlPlaneNodes':
    case 'workerNodes':
    case 'k8sEndpoint':
    case 'cluster':
    case 'certFingerprint':
    case 'timeout':
    case 'namespace':
    case 'numWorkers':
    case 'updateInterval':
    case 'encryptionRecipients':
      return [];
    default:
      return option.argChoices === undefined ? [filesDirective] : startingWith(typed, option.argChoices);
  }
}

/** Candidates for the next argument. */
export async function completeArgument(
  typed: string,
  request: CompletionRequest,
): Promise<readonly string[]> {
  const { command, args } = request;
  const path = [command.name()];
  for (let at = command.parent; at?.parent; at = at.parent) path.unshift(at.name());
  switch (path.join(' ')) {
    case 'service':
      if (args.length > 1) return [];
      return startingWith(
        typed,
        args.length === 0 ? await serviceIds(request) : ['restart', 'start', 'status', 'stop'],
      );
    case 'get': {
      const { resourceIds, resourceKinds } = await import('./known-resources.ts');
      if (args.length > 1) return [];
      const [kind] = args;
      return startingWith(
        typed,
        kind === undefined ? await resourceKinds(request) : await resourceIds(request, kind),
      );
    }
    case 'logs':
      return args.length > 0 ? [] : startingWith(typed, await serviceIds(request));
    case 'list':
    case 'read':
      return args.length > 0 ? [] : pathsOnNode(typed, request);
    case 'usage':
      return pathsOnNode(typed, request);
    case 'copy':
      if (args.length === 0) return pathsOnNode(typed, request);
      return args.length === 1 ? [filesDirective] : [];
    case 'apply-config':
      return args.length > 0 ? [] : startingWith(typed, ['config', 'machineconfig']);
    case 'edit':
    case 'patch':
      return args.length > 0 ? [] : startingWith(typed, ['machineconfig', 'mc']);
    case 'diskfree': {
      const { resourceIds } = await import('./known-resources.ts');
      return args.length > 0 ? [] : startingWith(typed, await resourceIds(request, 'volumestatuses'));
    }
    case 'gen config':
    case 'machineconfig gen':
    case 'meta delete':
    case 'meta write':
      return [];
    case 'netstat':
      // Pods: whoever could name them is the runtime, which has a command of its own.
      return [];
    case 'completion':
      return args.length > 0 ? [] : startingWith(typed, Object.keys(completionScripts));
    case 'config context':
    case 'config remove':
      return args.length > 0 ? [] : startingWith(typed, await contextNames(request));
    case 'config node':
      return startingWith(typed, await nodeNames(request));
    case 'config endpoint':
      return startingWith(typed, await endpoints(request));
    default:
      return command.registeredArguments.length > args.length ? [filesDirective] : [];
  }
}
