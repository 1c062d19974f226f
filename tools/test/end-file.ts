// Loaded before each test file: the file ends soon after its tests, whatever a test or a failed fixture left open.
// Without it such a file runs to its time limit. What is open then is printed, and the file has failed.
import { existsSync } from 'node:fs';
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';
import { failureMark } from './failure-mark.ts';

/** From the end of the last test: closing what the file opened belongs to it, containers take their time. */
const graceMs = Number(process.env.TEST_GRACE_MS ?? 45_000);
/** The same when a fixture failed: the daemons that it left open keep nobody waiting. */
const graceAfterFailureMs = Number(process.env.TEST_FAILED_GRACE_MS ?? 10_000);

const program = process.argv[1] ?? '';
// Workers and children of a test file inherit this file, too.
const isTestFile = isMainThread && /\.test\.\w+$/.test(program);
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
