import { Command, type ErrorOptions, type Help, type ParseOptionsResult } from 'commander';
import { commandPath } from '../context/command-path.ts';
import { UsageFault } from '../context/failure.ts';
import { TalosctlHelp } from '../help/talosctl-help.ts';
import { flagWords } from './flag-words.ts';
import { usageMessage } from './usage-message.ts';

/**
 * A command whose help has our layout, whose errors are thrown as a `UsageFault` with the name of the
 * command, and whose flags accept a value after an equals sign.
 */
export class UsageCommand extends Command {
  override createCommand(name?: string): Command {
    return new UsageCommand(name);
  }

  override createHelp(): Help {
    return new TalosctlHelp();
  }

  override parseOptions(words: string[]): ParseOptionsResult {
    return super.parseOptions(flagWords(this, words));
  }

  override error(message: string, options?: ErrorOptions): never {
    throw new UsageFault(usageMessage(message, options?.code), commandPath(this));
  }
}
