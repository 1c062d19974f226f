// The messages about a runner in a service's history. Source: Talos v1.14: runners.
import { firstErrorLine } from '@nodewright/fault';

/** How a child process ended. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** The usual names of the signals that end a process. */
const signalTexts: Partial<Record<NodeJS.Signals, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
};

const lastLogLimitBytes = 512;

/** `Process(["node" "main.js"])`. */
export function processRunnerText(argv: readonly string[]): string {
  return `Process([${argv.map((word) => JSON.stringify(word)).join(' ')}])`;
}

/** Why a process ended unexpectedly, with its last output; undefined for exit code 0. */
export function exitErrorText({ code, signal }: ProcessExit, lastLog: string): string | undefined {
  if (code === 0) return undefined;
  const how = signal === null ? `exit status ${code}` : `signal: ${signalTexts[signal] ?? signal}`;
  return lastLog === '' ? how : `${how} (last log ${JSON.stringify(lastLog)})`;
}

/** How much of the output of a process to read after its end, in bytes: the reason comes before a long stack. */
export const lookBackBytes = 65_536;

/**
 * The last whole lines of `output` that fit in 512 bytes, without the final line break. When they do not contain the first line that
 * reports an error, that line is before them.
 */
export function lastLogText(output: Uint8Array): string {
  const text = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const tail = lastLines(text);
  const error = firstErrorLine(text.toString('utf8'));
  return error === undefined || text.length <= lastLogLimitBytes || tail.includes(error)
    ? tail
    : `${error}\n…\n${tail}`;
}

function lastLines(text: Buffer): string {
  if (text.length <= lastLogLimitBytes) return text.toString('utf8').trimEnd();
  const tail = text.subarray(-lastLogLimitBytes);
  const lineBreak = tail.indexOf('\n');
  // A single longer line is truncated rather than dropped.
  return tail
    .subarray(lineBreak < 0 || lineBreak === tail.length - 1 ? 0 : lineBreak + 1)
    .toString('utf8')
    .trimEnd();
}

/** Error texts start with a capital letter in the history. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
