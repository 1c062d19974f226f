// An archive of `talosctl support`, served after its nodes are gone, answers as they did.
import assert from 'node:assert/strict';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { runTalosctl, startTalosctl } from '../run-talosctl.ts';
import { openHome, openProcessCluster } from './process-cluster.ts';

/** Commands whose output is the same for the nodes and for the archive. */
const commands = [
  ['-n', 'node01,node02', 'version', '--short'],
  ['-n', 'node01,node02', 'get', 'members', '-o', 'yaml'],
  ['-n', 'node01', 'get', 'rd'],
  // Other links of the host come and go.
  ['-n', 'node02', 'get', 'addresses', 'lo/127.0.0.1/8'],
  ['-n', 'node02', 'service', 'trustd'],
  ['-n', 'node01', 'inspect', 'dependencies'],
  ['-n', 'node01', 'containers'],
  ['-n', 'node01', 'get', 'osrootsecret', 'none'],
];

test('replay answers as the nodes did, refuses changes and strangers, and leaves nothing', async () => {
  await using home = await openHome();
  const init = { home: home.path };
  const archive = join(home.path, 'support.zip');
  const expected = new Map<string, string[]>();
  {
    await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 1 }, init);
    for (const words of commands) {
      const { stdout, stderr } = await cluster.talosctl(...words);
      expected.set(words.join(' '), linesOf(stdout + stderr));
    }
    const { exitCode, stderr } = await cluster.talosctl('-n', 'node01,node02', 'support', '-O', archive);
    assert.equal(exitCode, 0, stderr);
  }

  const child = startTalosctl(['replay', archive, '-o', 'json'], init);
  const ended = new Promise((resolve) => child.on('exit', resolve));
  using _ = { [Symbol.dispose]: () => void child.kill('SIGKILL') };
  let shown = '';
  for await (const line of createInterface(child.stdout)) {
    shown += line;
    if (line === '}') break;
  }
  const { endpoint, talosconfig, nodes } = JSON.parse(shown);
  assert.deepEqual(nodes, ['node01', 'node02']);
  assert.equal(statSync(talosconfig).mode & 0o777, 0o600);
  const environment = { TALOSCONFIG: talosconfig };
  const run = (...words: string[]) => runTalosctl(words, { ...init, environment });

  for (const words of commands) {
    const { stdout, stderr } = await run(...words);
    assert.deepEqual(linesOf(stdout + stderr), expected.get(words.join(' ')), words.join(' '));
  }
  assert.match((await run('-n', 'node02', 'logs', 'apid', '--tail', '1')).stdout, /^node02: \{.*\}\n$/);
  assert.match((await run('-n', 'node01', 'processes')).stdout, /machined/);
  assert.match((await run('-n', 'node01,node02', 'mounts')).stdout, /^node02 /m);
  const log = (await run('-n', 'node01', 'logs', 'machined', '-f')).stdout;
  assert.ok(log.split('\n').length > 5, log);
  for (const words of [['reboot'], ['service', 'apid', 'stop']]) {
    const { exitCode, stderr } = await run('-n', 'node01', ...words);
    assert.equal(exitCode, 1);
    assert.match(stderr, /code = FailedPrecondition desc = this is an archive/, words.join(' '));
  }
  assert.match((await run('-n', 'node03', 'mounts')).stderr, /no route to node "node03": the archive has/);
  assert.match((await run('-n', 'node01', 'read', '/etc/hosts')).stderr, /this is an archive/);
  await refusesStrangers(endpoint);

  child.kill('SIGINT');
  await ended;
  assert.deepEqual(
    readdirSync(dirname(dirname(talosconfig))).filter((name) => talosconfig.includes(`/${name}/`)),
    [],
  );
});

/** The lines in an order of their own: nodes answer in any order. Ages depend on the time of the command. */
function linesOf(text: string): string[] {
  return text
    .replaceAll(/\b\d+[hms](?:\d+[ms])* ago/g, 'some time ago')
    .split('\n')
    .sort();
}

/** A client without the certificate of the talosconfig gets no HTTP/2. */
async function refusesStrangers(endpoint: string): Promise<void> {
  const [host = '', port = ''] = endpoint.split(':');
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  const failure = new Promise<Error>((resolve) => socket.on('error', resolve).resume());
  assert.match((await failure).message, /certificate required/i);
}
