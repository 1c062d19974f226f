import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planChange } from './plan-change.ts';
import { programNode, type SourceGraph } from './source-graph.ts';

const to = (target: string, distance = 1) => [{ to: target, distance }];
const graph: SourceGraph = new Map([
  ['services/apid/src/calls.test.ts', to('services/apid/src/calls.ts')],
  ['tests/contract/apid/roles.test.ts', to(programNode('apid'), 2)],
  ['tests/contract/machined/host-unchanged.test.ts', to(programNode('apid'), 2)],
  ['tests/boot/boot.test.ts', to(programNode('apid'), 2)],
  ['tests/ui/views.test.ts', to('cli/talosctl/src/main.ts')],
  ['tests/house/layers.test.ts', []],
  [programNode('apid'), to('services/apid/src/calls.ts', 5)],
]);
const plan = (changed: string[]) =>
  planChange({ graph, paths: [...graph.keys()], changed, secondsOf: () => 1 });

test('planChange() runs near tests, the rules, then tests of bundles, and names the suites that it leaves out', () => {
  assert.deepEqual(plan(['services/apid/src/calls.ts']), {
    tests: [
      'services/apid/src/calls.test.ts',
      'tests/house/layers.test.ts',
      'tests/contract/apid/roles.test.ts',
    ],
    alone: ['tests/contract/machined/host-unchanged.test.ts'],
    elsewhere: [{ verb: 'test-boot', files: ['tests/boot/boot.test.ts'] }],
  });
});

test('planChange() runs the rules for a file that no test reaches, and nothing without a change', () => {
  assert.deepEqual(plan(['LICENSE']).tests, ['tests/house/layers.test.ts']);
  assert.deepEqual(plan([]), { tests: [], alone: [], elsewhere: [] });
});
