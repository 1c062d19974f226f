import { logLevels } from '@nodewright/telemetry';
import { flagFromKey, type OptionTable } from './option.ts';

/** The text that `--help` prints. */
export function usageText(name: string, summary: string, options: OptionTable): string {
  const rows = Object.entries(options).map(
    ([key, { type, description, default: fallback, choices, env }]) => {
      const value = type === 'boolean' ? '' : ` ${choices?.join('|') ?? type}`;
      const note = fallback === undefined ? '' : ` (default ${String(fallback)})`;
      return [`  --${flagFromKey(key)}${value}`, `${description}${note}; ${env}`] as const;
    },
  );
  const width = Math.max(...rows.map(([left]) => left.length), '  --version'.length);
  const lines = [
    ...rows,
    ['  --help', 'print this and exit'] as const,
    ['  --version', 'print the version and exit'] as const,
  ].map(([left, right]) => `${left.padEnd(width)}   ${right}`);
  return [
    `${name}: ${summary}\n`,
    'Flags (a variable of the environment means the same, the flag wins):',
    ...lines,
    `\nLOG_LEVEL (${logLevels.join('|')}) and LOG_FILE, a file that gets the log lines, too, are read from the environment.\n`,
  ].join('\n');
}
