import { type Check, Skip } from './check.ts';
import type { Subject } from './subject/subject.ts';
import { CallFailure, codes } from './wire/call-failure.ts';

/** The result of one check. */
export interface Verdict {
  readonly id: string;
  readonly method: string;
  readonly says: string;
  readonly outcome: 'passed' | 'failed' | 'not implemented' | 'skipped';
  /** Why the check did not pass. */
  readonly why?: string;
  readonly ms: number;
}

const defaultTimeoutMs = 15_000;

/**
 * Runs one check after the other, so that none affects the numbers of another, and continues after failures.
 */
export async function* runChecks(
  checks: readonly Check[],
  subject: Subject,
): AsyncGenerator<Verdict, void, undefined> {
  for (const check of checks) {
    const start = performance.now();
    const result = await judge(check, subject);
    const { id, method, says } = check;
    yield { id, method, says, ...result, ms: Math.round(performance.now() - start) };
  }
}

async function judge(check: Check, subject: Subject): Promise<Pick<Verdict, 'outcome' | 'why'>> {
  const timeoutMs = check.timeoutMs ?? defaultTimeoutMs;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`not done after ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    await Promise.race([check.run(subject), late.promise]);
    return { outcome: 'passed' };
  } catch (error) {
    if (error instanceof Skip) return { outcome: 'skipped', why: error.message };
    const why = error instanceof Error ? firstLines(error.message) : String(error);
    const isMissing = error instanceof CallFailure && error.code === codes.unimplemented;
    return { outcome: isMissing ? 'not implemented' : 'failed', why };
  } finally {
    clearTimeout(timer);
  }
}

const longestWhy = 400;

/** The first line of an assertion's message; the compared values follow on many lines. */
function firstLines(message: string): string {
  const line = message
    .trim()
    .split(/\s*\n\s*/)
    .join(' ');
  return line.length > longestWhy ? `${line.slice(0, longestWhy)}...` : line;
}
