// The load client: a process of its own, so that its processor time is not mistaken for a server's. It does the jobs
// that its parent sends, one after the other, and ends with it.
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
