import { callHeaders, prefixBytes, startCall } from './call.ts';
import type { ProbeJob, ProbeOutcome } from './load-job.ts';
import { openSession } from './open-session.ts';

/** Makes one call and returns its reply. Rejects when it fails. */
export async function runProbe(job: ProbeJob): Promise<ProbeOutcome> {
  const session = await openSession(job.target);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  try {
    startCall(session, callHeaders(job), {
      data: (chunk) => chunks.push(chunk),
      over: (failure) => (failure === undefined ? resolve() : reject(new Error(failure))),
    });
    await promise;
    return { message: Buffer.concat(chunks).subarray(prefixBytes).toString('base64') };
  } finally {
    session.destroy();
  }
}
