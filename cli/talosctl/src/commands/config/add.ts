import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { withContext } from '@nodewright/client/talosconfig';
import { Fault, faultFrom, Secret } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../command-module.ts';
import { UsageFault } from '../../failure.ts';
import { addConfigCommand, type ConfigOptions, changeTalosconfig, reportChange } from './config-options.ts';

interface AddOptions extends ConfigOptions {
  readonly ca?: string;
  readonly crt?: string;
  readonly key?: string;
}

async function readBase64(env: CliEnvironment, path: string): Promise<string> {
  try {
    return (await readFile(resolve(env.cwd, path))).toString('base64');
  } catch (error) {
    const { kind, message } = faultFrom(error);
    throw new Fault(kind, `cannot read ${path}: ${message}`, { cause: error });
  }
}

/** `talosctl config add`: a context from PEM files. */
export function defineConfigAdd(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'add', 'Add a context, or replace the one of that name')
    .argument('<context>', 'name of the context')
    .option('--ca <path>', 'PEM file of the certificate authority')
    .option('--crt <path>', 'PEM file of the client certificate')
    .option('--key <path>', 'PEM file of the client key')
    .action(async (name: string, _options: AddOptions, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      const { ca, crt, key } = options;
      if ((crt === undefined) !== (key === undefined))
        throw new UsageFault('flags --crt and --key go together');
      const context = {
        endpoints: [],
        nodes: [],
        ...(ca === undefined ? {} : { ca: await readBase64(env, ca) }),
        ...(crt === undefined ? {} : { crt: await readBase64(env, crt) }),
        ...(key === undefined ? {} : { key: new Secret(await readBase64(env, key)) }),
      };
      await changeTalosconfig(env, options, (before) => withContext(before, name, context));
      await reportChange(env, options, { context: name });
    });
}
