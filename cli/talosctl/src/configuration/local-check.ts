import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../command-module.ts';
import { escapeEntry } from '../output/escape-text.ts';

/** Reading longer texts takes longer than a node's answer, and no configuration is that long. */
const longestTextChecked = 4 * 1024 * 1024;

/**
 * Says on stderr where a configuration does not decode. It is sent all the same: the node is the judge, and may know
 * kinds that this tool does not.
 */
export async function warnOfDecoding(env: CliEnvironment, name: string, text: string): Promise<void> {
  if (text.length > longestTextChecked) return;
  const { loadConfiguration } = await import('@nodewright/machine-config');
  try {
    loadConfiguration(text);
  } catch (error) {
    env.stderr.write(`WARNING: ${name} does not decode here: ${escapeEntry(faultFrom(error).message)}\n`);
  }
}
