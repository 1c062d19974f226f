import { readTalosconfig, withoutContext } from '@nodewright/client/talosconfig';
import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';
import type { CliEnvironment } from '../../context/command-module.ts';
import { openQuestions } from '../../nodes/open-questions.ts';
import { talosconfigLocation } from '../../nodes/talosconfig-of.ts';
import { addConfigCommand, type ConfigOptions, changeTalosconfig, reportChange } from './config-options.ts';

interface RemoveOptions extends ConfigOptions {
  readonly noconfirm?: boolean;
  readonly dryRun?: boolean;
}

function matcher(glob: string): RegExp {
  const pattern = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pattern.join('.*')}$`, 's');
}

/** Asks one question per name and returns the confirmed names. @throws ReportedFailure when no name was confirmed */
async function confirmed(
  env: CliEnvironment,
  { output }: RemoveOptions,
  names: readonly string[],
): Promise<string[]> {
  using questions = openQuestions(env, { output, document: (error) => ({ removed: [], error }) });
  const chosen: string[] = [];
  for (const name of names)
    if (await questions.isConfirmed(`remove context "${name}"? (y/N): `)) chosen.push(name);
  if (names.length > 0 && chosen.length === 0) await questions.refuse();
  return chosen;
}

/** `talosctl config remove`: removes contexts, but never the current one. */
export function defineConfigRemove(config: Command, env: CliEnvironment): void {
  addConfigCommand(config, 'remove', 'Remove the contexts whose names match')
    .argument('<glob>', 'name of a context; * matches any text')
    .option('-y, --noconfirm', 'do not ask for confirmation')
    .option('--dry-run', 'only print what would be removed')
    .action(async (glob: string, _options: RemoveOptions, command: Command) => {
      const options = command.optsWithGlobals<RemoveOptions>();
      const { path } = talosconfigLocation(env, options);
      const { context: current, contexts } = await readTalosconfig(path);
      const matches = [...contexts.keys()].filter((name) => matcher(glob).test(name)).sort();
      if (matches.length === 0)
        throw new Fault(
          'not-found',
          `no context of talosconfig ${path} matches "${glob}"; its contexts are: ${[...contexts.keys()].sort().join(', ')}`,
        );
      if (matches.includes(current))
        env.stderr.write(`skipping context "${current}": it is the current one\n`);
      const names = matches.filter((name) => name !== current);
      if (options.dryRun) {
        for (const name of names) env.stderr.write(`would remove context "${name}"\n`);
        return reportChange(env, options, { removed: [], wouldRemove: names });
      }
      const removed = options.noconfirm ? names : await confirmed(env, options, names);
      // Ask before changing, so that the file is not locked while the user decides.
      if (removed.length > 0) {
        await changeTalosconfig(env, options, (before) =>
          removed.filter((name) => name !== before.context).reduce(withoutContext, before),
        );
      }
      await reportChange(env, options, { removed });
    });
}
