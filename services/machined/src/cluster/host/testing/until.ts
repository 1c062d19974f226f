import { setTimeout as sleep } from 'node:timers/promises';

const limitMs = 60_000;
const stepMs = 10;

/** Waits for a condition. After 60 s it throws an error that names the condition. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > endMs) throw new Error(`waited ${limitMs} ms for: ${what}`);
    await sleep(stepMs);
  }
}
