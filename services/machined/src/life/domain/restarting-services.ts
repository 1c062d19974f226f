import { firstErrorLine } from '@nodewright/fault';
import { isUp, type ServiceRecord } from '@nodewright/services/domain';
import type { DiagnosticSpec } from '@nodewright/state/kinds';

/** A service that was started again this often within the window keeps restarting. */
const manyRestarts = 3;
/** Longer than three of the longest pauses between two runs, so that a crash loop stays a problem. In ms. */
const windowMs = 240_000;
/** A service that has run for so long since its last restart has recovered. In ms. */
const steadyMs = 60_000;

export interface RestartingServices {
  /** The problems, by the id of the diagnostic. */
  readonly problems: ReadonlyMap<string, DiagnosticSpec>;
  /** After how many ms to look again, although no service changes; undefined when time alone changes nothing. */
  readonly nextMs: number | undefined;
}

/** The id of the diagnostic about a service. */
export const restartingId = (service: string): string => `restarting-${service}`;

/** The services whose runner was started again several times within minutes, with the reason of the last end. */
export function restartingServices(records: readonly ServiceRecord[], nowMs: number): RestartingServices {
  const problems = new Map<string, DiagnosticSpec>();
  const endsMs: number[] = [];
  for (const record of records) {
    if (record.isStopped) continue;
    const restarts = record.history.filter(
      // A clock that was set back makes entries of the future, which say nothing about now.
      ({ message, atMs }) => isRestart(message) && atMs > nowMs - windowMs && atMs <= nowMs,
    );
    const [first] = restarts.slice(-manyRestarts);
    const last = restarts.at(-1);
    if (restarts.length < manyRestarts || first === undefined || last === undefined) continue;
    const endMs = isUp(record) ? last.atMs + steadyMs : first.atMs + windowMs;
    if (endMs <= nowMs) continue;
    endsMs.push(endMs);
    problems.set(restartingId(record.id), problemOf(record.id, restarts.length, last.message));
  }
  const nextMs = endsMs.length === 0 ? undefined : Math.min(...endsMs) - nowMs;
  return { problems, nextMs };
}

/** Source: Talos v1.14: restart wrapper. */
const isRestart = (message: string) => / going to restart\b/.test(message);

function problemOf(id: string, restarts: number, message: string): DiagnosticSpec {
  return {
    message: `service ${id} keeps restarting: ${reasonOf(message)}`,
    details: [
      `started again ${restarts} times within ${windowMs / 60_000} minutes`,
      `see "talosctl service ${id}" for its history and "talosctl logs ${id}" for its log`,
    ],
  };
}

/** The end of the process with the first line of its output that reports an error, without the name of the runner. */
function reasonOf(message: string): string {
  const [, end = message] = / going to restart[^:]*: (.*)$/s.exec(message) ?? [];
  const [, how = end, quoted] = /^(.*?) \(last log (".*")\)$/s.exec(end) ?? [];
  const output = quoted === undefined ? undefined : unquoted(quoted);
  return output === undefined ? end : `${how}, ${firstErrorLine(output) ?? output.split('\n').at(-1) ?? ''}`;
}

function unquoted(text: string): string | undefined {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
}
