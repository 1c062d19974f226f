// Runs the conformance suite against a node that is one container.
import { testConformance } from '../conformance/test-conformance.ts';
import { reasonToSkip } from './reason-to-skip.ts';

testConformance('node-image', await reasonToSkip());
