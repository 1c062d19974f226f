import { faultFrom } from '@nodewright/fault';
import type { CliEnvironment } from '../context/command-module.ts';
import { escapeEntry } from '../output/escape-text.ts';

/** Longer texts are not checked: decoding takes longer than the call, and no real configuration is that long. */
const longestTextChecked = 4 * 1024 * 1024;

/**
 * Warns on stderr when a configuration does not decode. It is sent anyway, because the node may support document kinds
 * that this program does not know.
 */
export async function warnOfDecoding(env: CliEnvironment, name: string, text: string): Promise<void> {
  if (text.length > longestTextChecked) return;
  const { loadConfiguration } = await import('@nodewright/machine-config');
  try {
    loadConfiguration(text);
  } catch (error) {
    env.stderr.write(
      `WARNING: this program cannot decode ${name}: ${escapeEntry(faultFrom(error).message)}\n`,
    );
  }
}
