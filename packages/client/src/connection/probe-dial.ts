import { connect } from 'node:net';
import type { Endpoint } from './endpoint.ts';

const timeoutMs = 2000;

/** Texts for the error codes of a TCP connection that fails. */
const texts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ETIMEDOUT: 'connect timed out',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'the name server does not answer',
  EACCES: 'permission denied',
};

/**
 * Connects once more to an endpoint or proxy to find out why TCP connections to it fail, because the HTTP/2
 * library does not report the reason. Returns `undefined` when this attempt succeeds. Takes at most two
 * seconds.
 */
export function probeDial({ host, port }: Pick<Endpoint, 'host' | 'port'>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (text: string | undefined) => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(timeoutMs, () => finish('connect timed out'));
    socket.once('connect', () => finish(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? '';
      finish(Object.hasOwn(texts, code) ? texts[code] : error.message || code);
    });
  });
}
