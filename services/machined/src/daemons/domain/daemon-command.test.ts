import assert from 'node:assert/strict';
import { test } from 'node:test';
import { daemonCommand, daemonEnvironment } from './daemon-command.ts';

const init = {
  root: '/nodes/node01',
  nodeBinary: '/bin/node',
  servicesFolder: '/dist',
  listenAddress: '127.1.1.2:50001',
};

test('daemonCommand() gives apid access to the network, its bundle and three folders only', () => {
  assert.deepEqual(daemonCommand({ ...init, daemon: 'apid' }), [
    '/bin/node',
    '--disable-sigusr1',
    '--max-semi-space-size=2',
    '--use-openssl-ca',
    '--permission',
    '--allow-net',
    '--allow-ffi',
    '--disable-warning=ExperimentalWarning',
    '--disable-warning=SecurityWarning',
    '--allow-fs-read=/proc/self/smaps',
    '--allow-fs-read=/proc/self/statm',
    '--allow-fs-read=/dist/apid',
    '--allow-fs-read=/nodes/node01/system/run/apid',
    '--allow-fs-read=/nodes/node01/run/machined',
    '--allow-fs-read=/nodes/node01/run/apid',
    '--allow-fs-write=/nodes/node01/run/apid',
    '/dist/apid/apid.cjs',
    '--runtime-socket',
    '/nodes/node01/system/run/apid/runtime.sock',
    '--machined-socket',
    '/nodes/node01/run/machined/machined.sock',
    '--health-socket',
    '/nodes/node01/run/apid/health.sock',
  ]);
});

test('daemonCommand() gives trustd no access to the socket of machined, and passes its listen address', () => {
  const command = daemonCommand({ ...init, daemon: 'trustd' });
  assert.deepEqual(
    command.filter((word) => word.includes('machined')),
    [],
  );
  assert.deepEqual(command.slice(-6), [
    ...['--runtime-socket', '/nodes/node01/system/run/trustd/runtime.sock'],
    ...['--health-socket', '/nodes/node01/run/trustd/health.sock'],
    ...['--listen-address', '127.1.1.2:50001'],
  ]);
  assert.deepEqual(
    command.filter((word) => word.startsWith('--allow-fs')),
    [
      '--allow-fs-read=/proc/self/smaps',
      '--allow-fs-read=/proc/self/statm',
      '--allow-fs-read=/dist/trustd',
      '--allow-fs-read=/nodes/node01/system/run/trustd',
      '--allow-fs-read=/nodes/node01/run/trustd',
      '--allow-fs-write=/nodes/node01/run/trustd',
    ],
  );
});

test('daemonCommand() lets registryd write its socket and its cache only', () => {
  const command = daemonCommand({ ...init, daemon: 'registryd', listenAddress: '127.1.1.2:3172' });
  const on = (path: string) => `/nodes/node01${path}`;
  assert.deepEqual(
    command.filter((word) => word.startsWith('--allow-fs')),
    [
      '--allow-fs-read=/proc/self/smaps',
      '--allow-fs-read=/proc/self/statm',
      '--allow-fs-read=/dist/registryd',
      ...['/system/run/registryd', '/run/registryd', '/var/lib/registryd'].map(
        (path) => `--allow-fs-read=${on(path)}`,
      ),
      ...['/system/imagecache/disk', '/usr/lib/nodewright/imagecache', '/var/lib/nodewright/imagecache'].map(
        (path) => `--allow-fs-read=${on(path)}`,
      ),
      ...['/run/registryd', '/var/lib/registryd'].map((path) => `--allow-fs-write=${on(path)}`),
    ],
  );
  assert.deepEqual(command.slice(-8), [
    ...['--runtime-socket', on('/system/run/registryd/runtime.sock')],
    ...['--socket', on('/run/registryd/registryd.sock'), '--cache-folder', on('/var/lib/registryd')],
    ...['--listen-address', '127.1.1.2:3172'],
  ]);
});

test('only registryd, which connects to registries of the internet, trusts the authorities of Node.js', () => {
  for (const [daemon, trusts] of [
    ['apid', false],
    ['trustd', false],
    ['registryd', true],
  ] as const) {
    assert.equal(daemonCommand({ ...init, daemon }).includes('--use-openssl-ca'), !trusts, daemon);
    assert.equal('SSL_CERT_FILE' in daemonEnvironment(daemon, {}, undefined), !trusts, daemon);
  }
});

test('daemonEnvironment() passes authorities only to registryd, and for a collector of spans with TLS', () => {
  const authorities = { SSL_CERT_FILE: '/ca.pem', SSL_CERT_DIR: '/cas', NODE_EXTRA_CA_CERTS: '/extra.pem' };
  const none = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/dev/null' };
  const environment = (endpoint: string) => ({ ...authorities, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint });
  const passed = (daemon: 'apid' | 'trustd' | 'registryd', endpoint: string) => {
    const { OTEL_EXPORTER_OTLP_ENDPOINT: _, ...rest } = daemonEnvironment(
      daemon,
      environment(endpoint),
      undefined,
    );
    return rest;
  };
  assert.deepEqual(passed('apid', 'http://collector:4318'), none);
  assert.deepEqual(passed('trustd', ''), none);
  assert.deepEqual(passed('apid', 'https://collector:4318'), authorities);
  assert.deepEqual(passed('registryd', ''), authorities);
});

test('daemonEnvironment() passes the environment without proxies to apid, with the trace of the start', () => {
  const noAuthorities = { SSL_CERT_FILE: '/dev/null', SSL_CERT_DIR: '/dev/null' };
  const environment = {
    PATH: '/bin',
    HTTPS_PROXY: 'p',
    no_proxy: 'n',
    TRACEPARENT: 'old',
    LOG_FILE: '/x',
    USERDATA: 'c2VjcmV0',
    OTEL_X: '1',
  };
  assert.deepEqual(daemonEnvironment('apid', environment, 'new'), {
    ...noAuthorities,
    PATH: '/bin',
    OTEL_X: '1',
    TRACEPARENT: 'new',
  });
  assert.deepEqual(daemonEnvironment('trustd', environment, undefined), {
    ...noAuthorities,
    PATH: '/bin',
    HTTPS_PROXY: 'p',
    no_proxy: 'n',
    OTEL_X: '1',
  });
});
