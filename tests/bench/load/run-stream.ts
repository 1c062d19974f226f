import { constants } from 'node:http2';
import { callHeaders, startCall } from './call.ts';
import type { StreamJob, StreamOutcome } from './load-job.ts';
import { openSession } from './open-session.ts';
import { watchCpu } from './watch-cpu.ts';

/** Reads one server stream. Rejects when it fails, or when it ends although it was to be cancelled. */
export async function runStream(job: StreamJob): Promise<StreamOutcome> {
  const { slow } = job;
  const session = await openSession(job.target);
  try {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stopWatch = watchCpu(job.watchedPids);
    const start = performance.now();
    let bytes = 0;
    let cut = false;
    const stream = startCall(session, callHeaders(job), {
      data(chunk) {
        bytes += chunk.length;
        if (slow === undefined) return;
        const aheadMs = (bytes / slow.bytesPerSecond) * 1000 - (performance.now() - start);
        if (aheadMs < 1 || cut) return;
        stream.pause();
        setTimeout(() => stream.resume(), aheadMs);
      },
      over: (failure) => (failure === undefined || cut ? resolve() : reject(new Error(failure))),
    });
    if (slow !== undefined) {
      setTimeout(() => {
        cut = true;
        stream.close(constants.NGHTTP2_CANCEL);
        // Received data must be read, or the stream never closes.
        stream.resume();
      }, slow.limitMs);
    }
    await promise;
    return { bytes, durationMs: performance.now() - start, ...stopWatch() };
  } finally {
    session.destroy();
  }
}
