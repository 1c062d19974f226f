import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { parseOptions } from './parse-options.ts';

const table = {
  runtimeFile: { env: 'X_RUNTIME_FILE', type: 'path', required: true, description: 'where the runtime is' },
  mode: {
    env: 'X_MODE',
    type: 'string',
    choices: ['process', 'metal'],
    default: 'metal',
    description: 'mode',
  },
  grace: { env: 'X_GRACE', type: 'duration', default: '5s', description: 'grace' },
  limit: { env: 'X_LIMIT', type: 'integer', default: 3, description: 'limit' },
  quiet: { env: 'X_QUIET', type: 'boolean', default: false, description: 'quiet' },
  peers: { env: 'X_PEERS', type: 'list', description: 'peers' },
} as const;

function refusal(args: string[], environment: Record<string, string> = {}): string {
  try {
    parseOptions(table, args, environment);
  } catch (error) {
    assert.ok(error instanceof Fault);
    assert.equal(error.kind, 'invalid-argument');
    return error.message;
  }
  return assert.fail('nothing was refused');
}

test('parseOptions() prefers flags to the environment and the environment to defaults', () => {
  assert.deepEqual(
    parseOptions(table, ['--runtime-file', '/a', '--quiet', '--peers=x, y'], {
      X_RUNTIME_FILE: '/b',
      X_GRACE: '250ms',
      X_MODE: '',
    }),
    { runtimeFile: '/a', mode: 'metal', grace: 250, limit: 3, quiet: true, peers: ['x', 'y'] },
  );
});

test('parseOptions() converts the text of a default duration', () => {
  assert.equal(parseOptions(table, ['--runtime-file=/a'], {}).grace, 5000);
});

test('parseOptions() names the flag, the variable and the value that is wrong', () => {
  assert.deepEqual(
    [
      refusal([]),
      refusal(['--runtime-file=/a', '--grace=soon']),
      refusal(['--runtime-file=/a'], { X_LIMIT: 'many' }),
      refusal(['--runtime-file=/a', '--mode=moon']),
      refusal(['--runtime-file=']),
    ],
    [
      '--runtime-file (or X_RUNTIME_FILE) is required: where the runtime is',
      '--grace must be a duration, not "soon"',
      'X_LIMIT must be an integer, not "many"',
      '--mode must be one of process, metal, not "moon"',
      '--runtime-file must be a path, not ""',
    ],
  );
  assert.match(refusal(['--runtime-file=/a', '--nonsense']), /unknown option '--nonsense'/);
  assert.match(refusal(['--runtime-file=/a', 'stray']), /stray/);
});

test('parseOptions() either returns every key or throws a Fault, whatever the arguments', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('--runtime-file', '--grace', '--peers', '--quiet'))),
      (args) => {
        try {
          assert.deepEqual(Object.keys(parseOptions(table, args, {})), Object.keys(table));
        } catch (error) {
          assert.ok(error instanceof Fault, String(error));
        }
      },
    ),
  );
});
