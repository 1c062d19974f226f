import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventFromLine } from './watch-events.ts';

const line = (action: string, more: Record<string, string> = {}) =>
  JSON.stringify({
    status: action,
    Type: 'container',
    Action: action,
    Actor: { ID: 'abc', Attributes: { 'com.docker.compose.service': 'node01', ...more } },
    time: 1_700_000_000,
    timeNano: 1_700_000_000_123_456_000,
  });

test('eventFromLine() parses the events that the engine prints', () => {
  const common = { id: 'abc', service: 'node01', atMs: 1_700_000_000_123 };
  assert.deepEqual(
    ['start', 'die', 'stop', 'destroy'].map((action) => eventFromLine(line(action))),
    ['started', 'died', 'stopped', 'removed'].map((kind) => ({ kind, ...common })),
  );
});

test('eventFromLine() returns the exit code of a container', () => {
  assert.deepEqual(eventFromLine(line('die', { exitCode: '137' })), {
    ...{ kind: 'died', exitCode: 137, id: 'abc', service: 'node01', atMs: 1_700_000_000_123 },
  });
});

test('eventFromLine() ignores other events, containers of manual commands, and invalid lines', () => {
  const others = [
    line('exec_die'),
    line('die', { 'com.docker.compose.oneoff': 'True' }),
    'Error: unexpected EOF',
    '{}',
    'null',
  ];
  assert.deepEqual(others.map(eventFromLine), Array(5).fill(undefined));
});
