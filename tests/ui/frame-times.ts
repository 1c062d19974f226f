// How much script the page runs between two frames, from a trace of the browser.
import type { CDPSession } from 'playwright-core';

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
  readonly pid: number;
  readonly tid: number;
}

export interface FrameTimes {
  /** Frames in which any script ran. */
  readonly frames: number;
  /** Milliseconds of the processor for script in a frame: other programs of a busy machine do not count. */
  readonly median: number;
  readonly p95: number;
  readonly longest: number;
  /** The share of time in which script ran. */
  readonly share: number;
}

const frameUs = 1_000_000 / 60;
/** What runs script; nested ones count once. */
const scripts = new Set([
  'FunctionCall',
  'EvaluateScript',
  'v8.callFunction',
  'RunMicrotasks',
  'TimerFire',
  'FireAnimationFrame',
]);

/** Records what the page does for some time. */
export async function traceFrames(session: CDPSession, ms: number): Promise<FrameTimes> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  const categories = ['devtools.timeline', 'v8', 'disabled-by-default-v8.gc'].join(',');
  await session.send('Tracing.start', { categories, transferMode: 'ReportEvents' });
  await new Promise((resolve) => setTimeout(resolve, ms));
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
  return summarise(events, ms);
}

/** Each slice of a 60th of a second counts as a frame: what runs longer delays the next one. */
function summarise(events: readonly TraceEvent[], ms: number): FrameTimes {
  const ran = events
    .filter(({ name, ph, dur }) => ph === 'X' && dur !== undefined && scripts.has(name))
    .sort((a, b) => a.ts - b.ts);
  const perFrame = new Map<number, number>();
  const ends = new Map<string, number>();
  for (const { ts, dur = 0, tdur = dur, pid, tid } of ran) {
    const thread = `${pid} ${tid}`;
    // What a script calls is within its own time.
    if (ts < (ends.get(thread) ?? 0)) continue;
    ends.set(thread, ts + dur);
    const frame = Math.floor(ts / frameUs);
    perFrame.set(frame, (perFrame.get(frame) ?? 0) + tdur / 1000);
  }
  const times = [...perFrame.values()].sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  const whole = times.reduce((sum, time) => sum + time, 0);
  return {
    frames: times.length,
    median: at(0.5),
    p95: at(0.95),
    longest: times.at(-1) ?? 0,
    share: whole / ms,
  };
}
