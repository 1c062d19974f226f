import { Fault } from '@nodewright/fault';
import { kubeletPorts } from '@nodewright/node-files';
import type { PollKubelet } from '../controllers/kubelet-static-pods.ts';
import type { ReportedPod } from '../domain/reported-pods.ts';

const timeoutMs = 10_000;
/** A node has at most some hundred pods of some kilobytes. */
const maxBytes = 32 << 20;

/**
 * Asks the kubelet of this node for its pods. Its serving certificate is its own, so it is not verified: the answer comes over
 * the loopback device and only shows what runs.
 *
 * @throws Fault `unavailable` when it does not answer with a list
 */
export const pollKubelet: PollKubelet = async ({ crt, key }, signal) => {
  // Loaded here because only control planes with a kubelet need it.
  const { get } = await import('node:https');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const request = get(
    {
      ...{ host: '127.0.0.1', port: kubeletPorts.api, path: '/pods', cert: crt, key, agent: false },
      rejectUnauthorized: false,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    },
    (response) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > maxBytes) request.destroy(new Error(`the list is longer than ${maxBytes} bytes`));
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === 200) resolve(Buffer.concat(pieces).toString('utf8'));
        else reject(new Error(`/pods answered ${response.statusCode}`));
      });
    },
  );
  request.on('error', reject);
  try {
    const { items } = JSON.parse(await promise) as { readonly items?: ReportedPod[] | null };
    return items ?? [];
  } catch (error) {
    throw new Fault('unavailable', `the kubelet does not list its pods: ${String(error)}`, { cause: error });
  } finally {
    request.destroy();
  }
};
