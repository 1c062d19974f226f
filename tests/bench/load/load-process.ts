// The load client: a separate process, so that its processor time is not counted as a server's. It runs the
// jobs that its parent sends, one after the other, and exits with its parent.
import type { LoadJob, LoadReport } from './load-job.ts';
import { runProbe } from './run-probe.ts';
import { runStream } from './run-stream.ts';
import { runUnary } from './run-unary.ts';

function run(job: LoadJob) {
  switch (job.kind) {
    case 'probe':
      return runProbe(job);
    case 'unary':
      return runUnary(job);
    case 'stream':
      return runStream(job);
  }
}

async function report(job: LoadJob): Promise<LoadReport> {
  try {
    return { outcome: await run(job) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

let last = Promise.resolve();
process.on('message', (job: LoadJob) => {
  last = last.then(async () => {
    process.send?.(await report(job));
  });
});
process.once('disconnect', () => process.exit(0));
