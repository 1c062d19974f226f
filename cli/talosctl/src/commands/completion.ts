import type { CommandModule } from '../command-module.ts';
import { completionScripts } from '../completion/scripts.ts';
import { UsageFault } from '../failure.ts';

const shells = Object.keys(completionScripts);

/** `talosctl completion <shell>`: a script to source. */
export const completionCommand: CommandModule = {
  define(command, env) {
    command
      .argument('<shell>', shells.join(', '))
      .option('--no-descriptions', 'accepted for compatibility; candidates never have descriptions')
      .action((shell: string) => {
        const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined;
        if (script === undefined)
          throw new UsageFault(`unknown shell "${shell}": it must be one of ${shells.join(', ')}`);
        env.stdout.write(script);
      });
  },
};
