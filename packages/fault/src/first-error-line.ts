/** The longest line that is quoted, in characters. */
const longestLine = 300;

const worst = /^(?:fatal|panic|dpanic|critical|crit|alert|emerg)$/i;
const bad = /^(?:error|err)$/i;

/** What programs begin a line with that reports their end, and failures of the system that name no severity. */
const fatalText = /^(?:panic|fatal|fatal error|F\d{4} )\b|no space left on device|\bENOSPC\b/i;
const errorText = /^E\d{4} |\berror\b[:!]|\bcannot\b|\bfailed to\b|permission denied|address already in use/i;

/**
 * The first line in the output of a program that says why it ended: of those that report its end, else of those that report an error.
 * After it come the lines of the failures that follow from it, such as the stack of a goroutine.
 *
 * @returns at most 300 characters, a line of JSON as its message and error; undefined when no line is one
 */
export function firstErrorLine(output: string): string | undefined {
  let error: string | undefined;
  for (const line of output.split('\n')) {
    const { rank, text } = rankOf(line);
    if (rank === 'fatal') return text.slice(0, longestLine);
    if (rank === 'error') error ??= text.slice(0, longestLine);
  }
  return error;
}

interface RankedLine {
  readonly rank: 'fatal' | 'error' | 'other';
  readonly text: string;
}

function rankOf(line: string): RankedLine {
  if (!line.startsWith('{')) {
    const text = line.trim();
    return { rank: fatalText.test(text) ? 'fatal' : errorText.test(text) ? 'error' : 'other', text };
  }
  try {
    const { level, msg, message = msg, error, reason = error } = JSON.parse(line) as Record<string, unknown>;
    const text = [message, reason].filter((part) => typeof part === 'string' && part !== '').join(': ');
    const severity = String(level);
    if (text === '') return { rank: 'other', text };
    return { rank: worst.test(severity) ? 'fatal' : bad.test(severity) ? 'error' : 'other', text };
  } catch {
    return { rank: 'other', text: line };
  }
}
