import { escapeLine } from '../output/escape-text.ts';

/** The one line about a mistake on the command line. @param command the one whose help says how it is right: `etcd members` */
export function usageLine(message: string, command: string): string {
  const program = command === '' ? 'talosctl' : `talosctl ${command}`;
  return `error: ${escapeLine(message)}; see "${program} --help"\n`;
}
