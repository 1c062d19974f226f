import { testEngineConformance } from '../conformance/index.ts';
import { nodeEngine } from './node-engine.ts';

testEngineConformance({ server: nodeEngine, client: nodeEngine });
