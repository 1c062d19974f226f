import { testEngineConformance } from '../conformance/index.ts';
import { nodeEngine } from '../node-engine/node-engine.ts';
import { frameEngine } from './frame-engine.ts';
import { openTlsPair, openUnixPair } from './testing/socket-pairs.ts';

testEngineConformance({ server: frameEngine, client: frameEngine });
testEngineConformance({ server: frameEngine, client: nodeEngine });
testEngineConformance({ server: nodeEngine, client: frameEngine });

const frames = { server: frameEngine, client: frameEngine };
testEngineConformance({ ...frames, sockets: { kind: 'TLS', open: openTlsPair } });
testEngineConformance({ ...frames, sockets: { kind: 'a unix socket', open: openUnixPair } });
