import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFolders, nodeLayout } from '../node-layout.ts';
import { daemonCommand, daemonEnvironment } from './daemon-command.ts';
import { timeServerOf } from './time-server.ts';

const init = { root: '/nodes/node01', nodeBinary: '/bin/node', servicesFolder: '/dist' };

test('daemonCommand() gives apid the network, its bundle and three folders, and nothing else', () => {
  assert.deepEqual(daemonCommand({ ...init, daemon: 'apid' }), [
    '/bin/node',
    '--max-semi-space-size=2',
    '--permission',
    '--allow-net',
    '--disable-warning=ExperimentalWarning',
    '--allow-fs-read=/dist/apid',
    '--allow-fs-read=/nodes/node01/system/run/apid',
    '--allow-fs-read=/nodes/node01/run/machined',
    '--allow-fs-read=/nodes/node01/run/apid',
    '--allow-fs-write=/nodes/node01/run/apid',
    '/dist/apid/apid.cjs',
    '--runtime-file',
    '/nodes/node01/system/run/apid/runtime.json',
    '--machined-socket',
    '/nodes/node01/run/machined/machined.sock',
    '--health-socket',
    '/nodes/node01/run/apid/health.sock',
  ]);
});

test('daemonCommand() keeps trustd away from the socket of machined', () => {
  const command = daemonCommand({ ...init, daemon: 'trustd' });
  assert.deepEqual(
    command.filter((word) => word.includes('machined')),
    [],
  );
  assert.deepEqual(
    command.filter((word) => word.startsWith('--allow-fs')),
    [
      '--allow-fs-read=/dist/trustd',
      '--allow-fs-read=/nodes/node01/system/run/trustd',
      '--allow-fs-read=/nodes/node01/run/trustd',
      '--allow-fs-write=/nodes/node01/run/trustd',
    ],
  );
});

test('nodeFolders() lets a daemon with a user of its own reach its folders, and no other user in', () => {
  const owner = { uid: 51, gid: 51 };
  const shown = (layout: ReturnType<typeof nodeLayout>) =>
    nodeFolders(layout, ['trustd']).map(({ path, mode, owner: who }) => [path, mode.toString(8), who?.uid]);
  assert.deepEqual(shown(nodeLayout('/', 'metal', true)), [
    ['/system/run', '751', undefined],
    ['/system/run/machined', '771', 50],
    ['/run/machined', '771', 50],
    ['/system/run/trustd', '700', owner.uid],
    ['/run/trustd', '700', owner.uid],
  ]);
  assert.deepEqual(
    shown(nodeLayout('/n', 'process', true)).map(([, mode, uid]) => [mode, uid]),
    Array.from({ length: 5 }, () => ['700', undefined]),
  );
});

test('daemonEnvironment() passes the environment on, for apid without proxies, with the trace of the start', () => {
  const environment = { PATH: '/bin', HTTPS_PROXY: 'p', no_proxy: 'n', TRACEPARENT: 'old', OTEL_X: '1' };
  assert.deepEqual(daemonEnvironment('apid', environment, 'new'), {
    PATH: '/bin',
    OTEL_X: '1',
    TRACEPARENT: 'new',
  });
  assert.deepEqual(daemonEnvironment('trustd', environment, undefined), {
    PATH: '/bin',
    HTTPS_PROXY: 'p',
    no_proxy: 'n',
    OTEL_X: '1',
  });
});

test('nodeLayout() gives the daemons users of their own only where root runs a whole machine', () => {
  const facts = (...args: Parameters<typeof nodeLayout>) => {
    const { paths, socketDirectoryMode, users } = nodeLayout(...args);
    return [paths.machinedSocket, socketDirectoryMode, users];
  };
  const own = ['/n/run/machined/machined.sock', 0o700, undefined];
  assert.deepEqual(facts('/n', 'process', true), own);
  assert.deepEqual(facts('/n/', 'process', false), own);
  assert.deepEqual(facts('/n', 'container', false), own);
  assert.deepEqual(facts('/', 'metal', true), [
    '/run/machined/machined.sock',
    0o771,
    { apid: { uid: 50, gid: 50 }, trustd: { uid: 51, gid: 51 } },
  ]);
});

test('timeServerOf() is the first configured server, else the one of the reference', () => {
  assert.equal(timeServerOf(['a:1', 'b']), 'a:1');
  assert.equal(timeServerOf([]), 'time.cloudflare.com');
});
