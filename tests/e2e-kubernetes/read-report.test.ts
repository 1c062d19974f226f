import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readReport } from './read-report.ts';
import { CaseCounter } from './run-ginkgo.ts';

const spec = (State: string, more: object = {}) => ({
  ContainerHierarchyTexts: ['[sig-network] DNS'],
  LeafNodeType: 'It',
  LeafNodeText: `is ${State} [Conformance]`,
  State,
  RunTime: 1_260_000_000,
  ...more,
});
const report = (...SpecReports: object[]) => JSON.stringify([{ SuiteDescription: 'suite', SpecReports }]);
const Failure = {
  Message: 'timed out\n  waiting for\n\npods',
  Location: { FileName: 'k8s.io/kubernetes/test/e2e/network/dns.go', LineNumber: 12 },
};

test('readReport() has the cases that ended, with the reason and the place of a failure', () => {
  const text = report(spec('passed'), spec('skipped'), spec('failed', { Failure }), spec('interrupted'));
  assert.deepEqual(readReport(text), {
    results: [
      { name: '[sig-network] DNS is passed [Conformance]', state: 'passed', seconds: 1.3 },
      {
        ...{ name: '[sig-network] DNS is failed [Conformance]', state: 'failed', seconds: 1.3 },
        reason: 'timed out | waiting for | pods (network/dns.go:12)',
      },
    ],
    suiteFailures: [],
  });
});

test('readReport() counts a panic and the time limit of a case as failures, and cuts long reasons', () => {
  const long = { Failure: { Message: 'x'.repeat(5000) } };
  const { results } = readReport(report(spec('panicked', long), spec('timedout')));
  assert.deepEqual(
    results.map(({ state, reason }) => [state, reason?.length]),
    [
      ['failed', 601],
      ['failed', 'no message'.length],
    ],
  );
});

test('readReport() keeps failures of what runs before all cases apart', () => {
  const before = { LeafNodeType: 'SynchronizedBeforeSuite', LeafNodeText: '', ContainerHierarchyTexts: null };
  assert.deepEqual(readReport(report(spec('failed', { ...before, Failure: { Message: 'no nodes' } }))), {
    results: [],
    suiteFailures: ['SynchronizedBeforeSuite: no nodes'],
  });
});

test('readReport() refuses a text that is no report', () => {
  for (const text of ['', '[{"SpecReports": [', '{}', 'null'])
    assert.throws(() => readReport(text), /^Error: the report of Ginkgo cannot be read/);
});

test('CaseCounter counts marks however the output is cut', () => {
  const output =
    'Running\n••\n• [FAILED] [3.1 seconds]\n[sig] name\n------\n• [2.000 seconds]\n• [TIMEDOUT] [60 s]\n•';
  for (let size = 1; size <= output.length; size += 1) {
    const counter = new CaseCounter();
    let latest = counter.take('');
    for (let at = 0; at < output.length; at += size) latest = counter.take(output.slice(at, at + size));
    assert.deepEqual(latest, { ended: 6, failed: 2 });
  }
});
