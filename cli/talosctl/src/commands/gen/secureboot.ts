import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';

/** `talosctl gen secureboot`: said to be missing in one line, whatever follows it. */
export function defineGenSecureboot(gen: Command): void {
  gen
    .command('secureboot')
    .description('Generate keys for Secure Boot (not there yet)')
    .argument('[words...]')
    .allowUnknownOption()
    .action(() => {
      throw new Fault('unimplemented', 'talosctl gen secureboot is not there yet');
    });
}
