import { escapeLine } from '../output/escape-text.ts';

/**
 * The one line about an error on the command line.
 *
 * @param command the command whose help to read: `etcd members`
 */
export function usageLine(message: string, command: string): string {
  const program = command === '' ? 'talosctl' : `talosctl ${command}`;
  return `error: ${escapeLine(message)}; see "${program} --help"\n`;
}
