import type { H2Engine } from '../engine.ts';
import { NodeClientConnection } from './node-client-connection.ts';
import { NodeServerConnection } from './node-server-connection.ts';

/** The engine on node:http2. It is also the reference that other engines are compared with. */
export const nodeEngine: H2Engine = {
  name: 'node:http2',
  accept: (socket, limits, handlers) => new NodeServerConnection(socket, limits, handlers),
  connect: (socket, limits) => new NodeClientConnection(socket, limits),
};
