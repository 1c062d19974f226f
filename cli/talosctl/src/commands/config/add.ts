import { withContext } from '@nodewright/client/talosconfig';
import { Fault, Secret } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { UsageFault } from '../../context/failure.ts';
import { addConfigCommand, type ConfigOptions, changeTalosconfig, reportChange } from './config-options.ts';
import { readCredentials } from './read-credentials.ts';

interface AddOptions extends ConfigOptions {
  readonly ca?: string;
  readonly crt?: string;
  readonly key?: string;
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

function checkContextName(name: string): void {
  if (name.trim() !== '' && !/\p{Cc}/u.test(name)) return;
  const problem = name.trim() === '' ? 'is empty' : 'contains control characters';
  throw new Fault('invalid-argument', `context name ${JSON.stringify(name)} ${problem}`);
}

/** `talosctl config add`: stores a context from PEM files after it has checked them. */
export function defineConfigAdd(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'add', 'Add a context, or replace the context of that name')
    .argument('<context>', 'name of the context')
    .option('--ca <path>', 'PEM file of the certificate authority')
    .option('--crt <path>', 'PEM file of the client certificate')
    .option('--key <path>', 'PEM file of the client key')
    .action(async (name: string, _options: AddOptions, command: Command) => {
      const options = command.optsWithGlobals<AddOptions>();
      checkContextName(name);
      if ((options.crt === undefined) !== (options.key === undefined))
        throw new UsageFault('flags --crt and --key must be used together');
      const { ca, crt, key } = await readCredentials(env.cwd, options);
      const context = {
        endpoints: [],
        nodes: [],
        ...(ca === undefined ? {} : { ca: base64(ca) }),
        ...(crt === undefined ? {} : { crt: base64(crt) }),
        ...(key === undefined ? {} : { key: new Secret(base64(key.reveal())) }),
      };
      await changeTalosconfig(env, options, (before) => withContext(before, name, context));
      await reportChange(env, options, { context: name });
    });
}
