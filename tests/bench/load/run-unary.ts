import type { ClientHttp2Session } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { LatencyRecorder } from '../measure/latency-recorder.ts';
import { callHeaders, prefixBytes, startCall } from './call.ts';
import type { UnaryJob, UnaryOutcome } from './load-job.ts';
import { openSession } from './open-session.ts';
import { watchCpu } from './watch-cpu.ts';

const pollMs = 5;

/** Keeps a number of calls in flight for a while and measures them. Rejects at the first call that fails. */
export async function runUnary(job: UnaryJob): Promise<UnaryOutcome> {
  const sessions: ClientHttp2Session[] = [];
  try {
    for (let opened = 0; opened < job.connections; opened += 1) sessions.push(await openSession(job.target));
    return await measure(job, sessions);
  } finally {
    for (const session of sessions) session.destroy();
  }
}

async function measure(job: UnaryJob, sessions: readonly ClientHttp2Session[]): Promise<UnaryOutcome> {
  const headers = callHeaders(job);
  const recorder = new LatencyRecorder();
  const failed = Promise.withResolvers<never>();
  const drained = Promise.withResolvers<void>();
  const expectedBytes = job.replyBytes + prefixBytes;
  let inFlight = job.streams;
  let measuring = false;
  let stopping = false;

  const next = (session: ClientHttp2Session) => {
    let bytes = 0;
    const start = performance.now();
    startCall(session, headers, {
      data(chunk) {
        bytes += chunk.length;
      },
      over(failure) {
        if (measuring) recorder.record(performance.now() - start);
        if (failure !== undefined) failed.reject(new Error(`${job.method}: ${failure}`));
        else if (bytes !== expectedBytes) {
          failed.reject(
            new Error(`${job.method}: a reply of ${bytes} bytes where ${expectedBytes} were expected`),
          );
        } else if (!stopping) {
          next(session);
          return;
        }
        inFlight -= 1;
        if (inFlight === 0) drained.resolve();
      },
    });
  };

  const work = async () => {
    for (let stream = 0; stream < job.streams; stream += 1) {
      next(sessions[stream % sessions.length] as ClientHttp2Session);
    }
    await sleep(job.warmupMs / 2);
    // While calls are open: V8 discards compiled code for objects that do not exist at that moment.
    globalThis.gc?.();
    await sleep(job.warmupMs / 2);
    const stopWatch = watchCpu(job.watchedPids);
    measuring = true;
    const start = performance.now();
    await sleep(job.measureMs);
    // On a busy machine no request may end within a short measurement.
    while (recorder.count === 0) await sleep(pollMs);
    measuring = false;
    const durationMs = performance.now() - start;
    const cpu = stopWatch();
    stopping = true;
    await drained.promise;
    return { requests: recorder.count, durationMs, latency: recorder.summary(), ...cpu };
  };
  return Promise.race([work(), failed.promise]);
}
