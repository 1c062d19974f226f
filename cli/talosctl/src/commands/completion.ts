import { completedShells, completionScript } from '../completion/scripts.ts';
import type { CommandModule } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';

/** `talosctl completion <shell>`: prints a completion script for the shell to source. */
export const completionCommand: CommandModule = {
  define(command, env) {
    command
      .argument('<shell>', completedShells.join(', '))
      .option('--no-descriptions', 'complete without descriptions (bash never shows them)')
      .action((shell: string, { descriptions }: { descriptions: boolean }) => {
        const script = completionScript(shell, descriptions);
        if (script === undefined)
          throw new UsageFault(`unknown shell "${shell}": it must be one of ${completedShells.join(', ')}`);
        env.stdout.write(script);
      });
  },
};
