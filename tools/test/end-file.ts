// Preloaded into each test file: exits soon after the last test, whatever a test or a failed fixture left
// open. Otherwise such a file would run until its time limit. It prints what is still open, and the file
// counts as failed.
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { failureMark } from './failure-mark.ts';

/**
 * Measured from the end of the last test. Includes the time in which the file closes what it opened;
 * containers are slow to stop.
 */
const graceMs = Number(process.env.TEST_GRACE_MS ?? 45_000);
/** The same after a fixture failed: do not wait for the daemons that it left running. */
const graceAfterFailureMs = Number(process.env.TEST_FAILED_GRACE_MS ?? 10_000);

const program = process.argv[1] ?? '';
// Workers and child processes of a test file preload this file, too.
const isTestFile = isMainThread && /\.test\.\w+$|\/several-files\.ts$/.test(program);
if (isTestFile) after(endLater);

function endLater(): void {
  setTimeout(() => hasFailed() && end(graceAfterFailureMs), graceAfterFailureMs).unref();
  setTimeout(() => end(graceMs), graceMs).unref();
}

function hasFailed(): boolean {
  const folder = process.env.TEST_FAILURES;
  return folder !== undefined && existsSync(failureMark(folder, program));
}

function end(waitedMs: number): never {
  const open = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
  process.stderr.write(
    `this file did not end ${waitedMs} ms after its tests: ${open.join(', ')} still open\n`,
  );
  process.exit(1);
}
