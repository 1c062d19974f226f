// Loaded before each test file: the file ends soon after its tests, whatever a test or a failed fixture left open.
// Without it such a file runs to its time limit. What is open then is printed, and the file has failed.
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

/** From the end of the last test: closing what the file opened belongs to it, containers take their time. */
const graceMs = Number(process.env.TEST_GRACE_MS ?? 45_000);

// Workers and children of a test file inherit this file, too.
const isTestFile = isMainThread && /\.test\.\w+$/.test(process.argv[1] ?? '');
if (isTestFile) after(endLater);

function endLater(): void {
  setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
    process.stderr.write(
      `this file did not end ${graceMs} ms after its tests: ${open.join(', ')} still open\n`,
    );
    process.exit(1);
  }, graceMs).unref();
}
