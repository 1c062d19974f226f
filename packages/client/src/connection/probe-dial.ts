import { connect } from 'node:net';
import type { Endpoint } from './endpoint.ts';

const patienceMs = 2000;

/** What people call the ways in which a TCP connection fails. */
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
 * Says why no TCP connection to an endpoint, or to a proxy, comes about, by trying once more: the HTTP/2 library keeps its own reason
 * to itself. Undefined when this attempt succeeds. Takes two seconds at most.
 */
export function probeDial({ host, port }: Pick<Endpoint, 'host' | 'port'>): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const finish = (text: string | undefined) => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(patienceMs, () => finish('connect timed out'));
    socket.once('connect', () => finish(undefined));
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? '';
      finish(Object.hasOwn(texts, code) ? texts[code] : error.message || code);
    });
  });
}
