import type { EngineHooks, H2Engine } from '../engine.ts';
import { BulkReads } from './bulk-reads.ts';
import { FrameClientConnection } from './client-connection.ts';
import { HpackEncoder } from './hpack/hpack-encoder.ts';
import { FrameServerConnection } from './server-connection.ts';
import type { EngineParts } from './socket-connection.ts';
import { Turns } from './turns.ts';

/** Creates an engine that reads and writes the frames of HTTP/2 itself. Source: RFC 9113. */
export function createFrameEngine(hooks: EngineHooks = {}): H2Engine {
  const bulkReads = new BulkReads(hooks.collectNewObjects);
  const parts: EngineParts = { turns: new Turns(bulkReads), bulkReads, encoder: new HpackEncoder() };
  return {
    name: 'frames',
    accept: (socket, limits, handlers) => new FrameServerConnection(parts, socket, limits, handlers),
    connect: (socket, limits) => new FrameClientConnection(parts, socket, limits),
  };
}

/** The engine on sockets, without node:http2. */
export const frameEngine: H2Engine = createFrameEngine();
