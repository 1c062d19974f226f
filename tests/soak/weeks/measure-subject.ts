import { getEventListeners } from 'node:events';
import { readdirSync } from 'node:fs';
import { bytesPerPass } from '@nodewright/testkit';
import type { Subject } from './subjects.ts';

/** What stays behind after passes of a subject. */
export interface SubjectSlope {
  readonly name: string;
  readonly passes: number;
  readonly bytesPerPass: number;
  readonly atOnce: number;
  /** More listeners at its signals, and more timers and descriptors of the process, than after the first pass. */
  readonly listeners: number;
  readonly timers: number;
  readonly descriptors: number;
}

/** The smallest object that could stay, a reaction to a promise or a listener, takes more than 100 bytes. */
export const allowedBytesPerPass = 50;

export async function measureSubject(subject: Subject, passes: number): Promise<SubjectSlope> {
  await using scope = new AsyncDisposableStack();
  const { pass, signals } = await subject.open(scope);
  const count = () => ({
    listeners: signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0),
    timers: process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length,
    descriptors: readdirSync('/proc/self/fd').length,
  });
  await pass();
  const before = count();
  const bytes = await bytesPerPass(pass, passes);
  const after = count();
  return {
    ...{ name: subject.name, passes, bytesPerPass: bytes },
    atOnce: subject.atOnce,
    listeners: after.listeners - before.listeners,
    timers: after.timers - before.timers,
    descriptors: after.descriptors - before.descriptors,
  };
}

/** Whether nothing stays. What a pass waits for may be open at one count and not at the other. */
export function isFlat({
  bytesPerPass: bytes,
  listeners,
  timers,
  descriptors,
  atOnce,
}: SubjectSlope): boolean {
  return bytes < allowedBytesPerPass && Math.max(listeners, timers, descriptors) <= atOnce;
}
