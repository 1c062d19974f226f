// Runs the conformance suite against a node of containers. tests/conformance runs it against a node of
// processes.
import { testConformance } from '../../conformance/test-conformance.ts';

testConformance('docker', false);
