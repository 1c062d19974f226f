import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeCase, unknownExceptions } from '../interop/h2spec/judge.ts';
import { readReport } from '../interop/h2spec/read-report.ts';

const report = readReport(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="5.1. Stream States" package="http2/5.1" id="5.1" tests="3" skipped="1" failures="0" errors="1">
    <testcase package="http2/5.1" classname="idle: Sends a DATA frame" time="0.0005"></testcase>
    <testcase package="http2/5.1" classname="closed: Sends &#34;more&#34;" time="2.0009">
      <error>GOAWAY Frame (Error Code: STREAM_CLOSED)
SETTINGS Frame (length:6, flags:0x00, stream_id:0)</error>
    </testcase>
    <testcase package="http2/5.1" classname="open: Waits" time="0.0000">
      <skipped></skipped>
    </testcase>
  </testsuite>
</testsuites>`);

test('readReport() reads the outcome of each case and what h2spec found', () => {
  assert.deepEqual(report, [
    { name: 'http2/5.1: idle: Sends a DATA frame', outcome: 'passed', text: '' },
    {
      name: 'http2/5.1: closed: Sends "more"',
      outcome: 'failed',
      text: 'GOAWAY Frame (Error Code: STREAM_CLOSED)\nSETTINGS Frame (length:6, flags:0x00, stream_id:0)',
    },
    { name: 'http2/5.1: open: Waits', outcome: 'skipped', text: '' },
  ]);
});

test('judgeCase() accepts a case that passes, or that is listed and does not', () => {
  const judge = (listed: Readonly<Record<string, string>>) =>
    report.map((outcome) => judgeCase(outcome, listed) !== undefined);
  assert.deepEqual(judge({}), [false, true, true]);
  const others = { 'http2/5.1: closed: Sends "more"': 'a', 'http2/5.1: open: Waits': 'b' };
  assert.deepEqual(judge(others), [false, false, false]);
  assert.deepEqual(judge({ ...others, 'http2/5.1: idle: Sends a DATA frame': 'c' }), [true, false, false]);
});

test('unknownExceptions() returns the exceptions without a case', () => {
  assert.deepEqual(unknownExceptions(report, { 'http2/5.1: open: Waits': 'a', 'http2/9: Other': 'b' }), [
    'http2/9: Other',
  ]);
});
