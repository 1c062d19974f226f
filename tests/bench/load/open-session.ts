import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { LoadTarget } from './load-job.ts';

/** Windows large enough that the load client never holds a server back by them. */
const streamWindowBytes = 4 * 1024 * 1024;
const connectionWindowBytes = 16 * 1024 * 1024;
/** In megabytes: the session must not refuse streams because of what is buffered. */
const maxSessionMemory = 1024;

/** Resolves when the server has sent its HTTP/2 preface. The caller closes the session. */
export async function openSession(target: LoadTarget): Promise<ClientHttp2Session> {
  const socket = await openSocket(target);
  const session = connect('http://localhost', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: streamWindowBytes },
    maxSessionMemory,
  });
  await once(session, 'remoteSettings');
  // Streams report their failures themselves; without a listener here the process would exit.
  session.on('error', () => {});
  session.setLocalWindowSize(connectionWindowBytes);
  return session;
}

async function openSocket(target: LoadTarget): Promise<Socket> {
  if (target.kind === 'unix') {
    const socket = connectPlain(target.path);
    await once(socket, 'connect');
    return socket;
  }
  const socket = connectTls({
    host: target.host,
    port: target.port,
    ca: target.ca,
    cert: target.certificate,
    key: target.key,
    minVersion: 'TLSv1.3',
    ALPNProtocols: ['h2'],
  });
  socket.setNoDelay(true);
  await once(socket, 'secureConnect');
  return socket;
}
