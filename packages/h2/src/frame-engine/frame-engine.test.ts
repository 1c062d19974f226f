import { testEngineConformance } from '../conformance/index.ts';
import { nodeEngine } from '../node-engine/node-engine.ts';
import { frameEngine } from './frame-engine.ts';

testEngineConformance({ server: frameEngine, client: frameEngine });
testEngineConformance({ server: frameEngine, client: nodeEngine });
testEngineConformance({ server: nodeEngine, client: frameEngine });
