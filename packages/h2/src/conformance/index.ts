import { testBodies } from './bodies.ts';
import { testCancels } from './cancels.ts';
import { testConnections } from './connections.ts';
import { testEndings } from './endings.ts';
import type { EnginePair } from './engine-pair.ts';
import { testGarbage } from './garbage.ts';
import { testHeaders } from './headers.ts';

export {
  type EnginePair,
  noCalls,
  type OpenPair,
  type OpenSockets,
  openPair,
  openSocketPair,
} from './engine-pair.ts';
export * from './recorder.ts';
export { resetBeforeAccept } from './reset-before-accept.ts';

/**
 * The behaviour that every engine must have, as tests of node:test. Run them for each pair of engines: an
 * engine with itself, and with node:http2 in either role.
 */
export function testEngineConformance(engines: EnginePair): void {
  const over = engines.sockets === undefined ? '' : ` over ${engines.sockets.kind}`;
  const label = `${engines.server.name} serving ${engines.client.name}${over}`;
  testHeaders(label, engines);
  testBodies(label, engines);
  testEndings(label, engines);
  testCancels(label, engines);
  testConnections(label, engines);
  testGarbage(label, engines);
}
