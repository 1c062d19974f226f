import type { Subject } from './subject/subject.ts';
import type { Method } from './wire/method.ts';

/** One thing that a client may rely on. */
export interface Check {
  /** Unique; starts with the topic: `memory.kibibytes`. */
  readonly id: string;
  /** `/package.Service/Method`, or a topic that is no method: `routing`. */
  readonly method: string;
  /** What holds, as a sentence. */
  readonly says: string;
  /** Makes the check. Throws when what `says` claims does not hold. */
  readonly run: (subject: Subject) => Promise<void>;
  /** Above it the check has failed. Default 15 s. */
  readonly timeoutMs?: number;
}

/** Thrown by a check that cannot be made here; the message says why. */
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
