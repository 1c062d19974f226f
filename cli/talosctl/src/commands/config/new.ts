import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseTalosconfig, saveTalosconfig, type Talosconfig } from '@nodewright/client/talosconfig';
import { roles as knownRoles } from '@nodewright/contract';
import { Fault, faultFrom } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import { Progress } from '../../context/progress.ts';
import { NodeErrors } from '../../nodes/node-errors.ts';
import { collectList } from '../../nodes/node-options.ts';
import { parseGoDuration, protobufDuration } from '../../values/go-duration.ts';
import { addConfigCommand, type ConfigOptions, reportChange } from './config-options.ts';

interface NewOptions extends ConfigOptions {
  readonly roles?: readonly string[];
  readonly crtTtl: bigint;
}

const defaultTtl = '8760h0m0s';

function checkRoles(roles: readonly string[]): void {
  const known: readonly string[] = Object.values(knownRoles);
  const unknown = roles.find((role) => !known.includes(role));
  if (unknown !== undefined) {
    throw new UsageFault(`unknown role "${unknown}" in flag --roles: it must be one of ${known.join(', ')}`);
  }
}

/** Requests a client configuration from one node and adds the endpoints that this command connects to. */
async function requestConfig(
  env: CliEnvironment,
  options: NewOptions,
  roles: readonly string[],
): Promise<Talosconfig> {
  // Imported only here, because the other config commands do not talk to nodes.
  const { openClient } = await import('../../nodes/open-client.ts');
  using client = await openClient(env, options);
  const [node, ...others] = client.targets;
  if (node === undefined || others.length > 0) {
    throw new UsageFault(
      `config new works on one node, and ${client.targets.length} are named; use flag --nodes`,
    );
  }
  const { crtTtl } = options;
  const request = { roles: [...roles], crtTtl: protobufDuration(crtTtl) };
  const progress = new Progress(env.stderr, () => `waiting for ${node.name}`);
  const { messages } = await node.machine
    .generateClientConfiguration(request, { signal: env.signal })
    .finally(() => progress[Symbol.dispose]())
    .catch((error) => {
      const errors = new NodeErrors(env);
      errors.add(node.name, faultFrom(error));
      errors.end();
      throw error;
    });
  const [message, ...more] = messages;
  if (message === undefined || more.length > 0) {
    throw new Fault('internal', `node ${node.name} sent ${messages.length} configurations instead of one`);
  }
  const config = parseTalosconfig(message.talosconfig.toString('utf8'), `sent by node ${node.name}`);
  const endpoints = client.endpoints.map(({ address }) => address.replace(/:50000$/, ''));
  return {
    ...config,
    contexts: new Map([...config.contexts].map(([name, context]) => [name, { ...context, endpoints }])),
  };
}

/** `talosctl config new`: lets a node issue a talosconfig with other roles or another lifetime. */
export function defineConfigNew(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'new', 'Let a node issue a new talosconfig')
    .argument('[path]', 'file to write', 'talosconfig')
    .option('--roles <roles>', 'roles of its user, separated by commas (default: os:admin)', collectList)
    .option('--crt-ttl <duration>', `lifetime of its certificate (default: ${defaultTtl})`, parseGoDuration)
    .action(async (file: string, _options: NewOptions, command: Command) => {
      const { crtTtl = parseGoDuration(defaultTtl), ...rest } =
        command.optsWithGlobals<Partial<NewOptions>>();
      const options = { ...rest, crtTtl } as NewOptions;
      const { roles = [knownRoles.admin] } = options;
      checkRoles(roles);
      const path = resolve(env.cwd, file);
      const exists = () =>
        new Fault('already-exists', `${path} already exists and is not overwritten: name another file`);
      if (existsSync(path)) throw exists();
      const created = await requestConfig(env, options, roles);
      if (existsSync(path)) throw exists();
      await saveTalosconfig({ path, writable: true }, created);
      await reportChange(env, options, { path, contexts: [...created.contexts.keys()] });
    });
}
