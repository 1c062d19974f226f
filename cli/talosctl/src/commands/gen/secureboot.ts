import { Fault } from '@nodewright/fault';
import type { Command } from 'commander';

/** `talosctl gen secureboot`: accepts any arguments and fails with `unimplemented`. */
export function defineGenSecureboot(gen: Command): void {
  gen
    .command('secureboot')
    .description('Generate keys for Secure Boot (not implemented)')
    .argument('[words...]')
    .allowUnknownOption()
    .action(() => {
      throw new Fault(
        'unimplemented',
        'talosctl gen secureboot is not implemented: the table in README.md says what is',
      );
    });
}
