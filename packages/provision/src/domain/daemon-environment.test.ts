import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonEnvironment } from './daemon-environment.ts';

test('daemonEnvironment() passes on the variables that daemons need, and no secrets', () => {
  assert.deepEqual(
    daemonEnvironment({
      PATH: '/bin',
      LC_ALL: 'C',
      NODEWRIGHT_ETCD: 'none',
      H2_ENGINE: 'node',
      LD_LIBRARY_PATH: '/package/runtime/linux-x64',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      NODE_OPTIONS: '--inspect',
      AWS_SECRET_ACCESS_KEY: 'x',
      HOME: undefined,
    }),
    {
      PATH: '/bin',
      LC_ALL: 'C',
      NODEWRIGHT_ETCD: 'none',
      H2_ENGINE: 'node',
      LD_LIBRARY_PATH: '/package/runtime/linux-x64',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
      MALLOC_ARENA_MAX: '1',
    },
  );
});
