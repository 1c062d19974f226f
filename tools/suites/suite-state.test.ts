import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceGraph } from '../changed/source-graph.ts';
import type { SuiteResult } from './suite-results.ts';
import { suiteState } from './suite-state.ts';

const graph: SourceGraph = new Map([
  ['tests/ui/views.test.ts', [{ to: 'cli/talosctl/src/ui/page/main.tsx', distance: 1 }]],
]);
const paths = ['tests/ui/views.test.ts', 'cli/talosctl/src/ui/page/main.tsx', 'services/apid/src/main.ts'];
const passed: SuiteResult = {
  suite: 'test-ui',
  commit: '0123456789abcdef',
  clean: true,
  tree: 'abc',
  passed: 4,
  failed: 0,
  skipped: 0,
  seconds: 9,
  when: '2026-01-02T03:04:05.000Z',
};
const state = (result: SuiteResult | undefined, changed: readonly string[] | undefined, verb = 'test-ui') =>
  suiteState({ verb, result, changed, graph, paths }).state;

test('suiteState() is passed until a file changes that the suite reaches, or one is deleted', () => {
  assert.equal(state(passed, []), 'passed');
  assert.equal(state(passed, ['services/apid/src/main.ts']), 'passed');
  assert.equal(state(passed, ['cli/talosctl/src/ui/page/main.tsx']), 'outdated');
  assert.equal(state(passed, ['cli/talosctl/src/ui/page/gone.tsx']), 'outdated');
});

test('suiteState() knows suites that failed, that never ran, and whose files are not known', () => {
  assert.equal(state({ ...passed, failed: 1 }, []), 'failed');
  assert.equal(state(undefined, undefined), 'not run');
  assert.equal(state(passed, undefined), 'unknown');
  assert.equal(state({ ...passed, passed: 0, skipped: 1 }, []), 'not run');
});

test('every change concerns a suite that reads the whole checkout', () => {
  assert.equal(state({ ...passed, suite: 'test' }, ['LICENSE'], 'test'), 'outdated');
});
