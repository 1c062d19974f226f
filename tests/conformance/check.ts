import type { Subject } from './subject/subject.ts';
import type { Method } from './wire/method.ts';

/** One promise to clients. */
export interface Check {
  /** Unique; starts with the topic: `memory.kibibytes`. */
  readonly id: string;
  /** `/package.Service/Method`, or a topic that is not a method: `routing`. */
  readonly method: string;
  /** What must hold, as a sentence. */
  readonly says: string;
  /** Runs the check. Throws when `says` does not hold. */
  readonly run: (subject: Subject) => Promise<void>;
  /** The time limit, after which the check has failed. Default 15 s. */
  readonly timeoutMs?: number;
}

/** Thrown by a check that cannot be run here; the message has the reason. */
export class Skip extends Error {}

/** The checks of one method: rows of id, sentence and body. */
export function checksOf(
  method: Pick<Method<never, unknown>, 'path'> | string,
  rows: Readonly<Record<string, readonly [says: string, run: Check['run'], timeoutMs?: number]>>,
): Check[] {
  const path = typeof method === 'string' ? method : method.path;
  return Object.entries(rows).map(([id, [says, run, timeoutMs]]) => ({
    id,
    method: path,
    says,
    run,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }));
}
