// The output for scripts: one JSON or YAML document per command, with one entry per node, including failed
// ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProcessesResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { parse } from 'yaml';
import type { FakeHandler } from './fake-gateway.ts';
import { healthyCluster, reply, withBrokenNode } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openSuite } from './suite.ts';

const processesPath = '/machine.MachineService/Processes';
const manyProcesses: FakeHandler = (call) =>
  reply(call, ProcessesResponse, {
    messages: [{ processes: Array.from({ length: 20_000 }, (_, pid) => ({ pid, state: 'S' })) }],
  });

const suite = openSuite({
  ...withBrokenNode('node03'),
  [processesPath]: (call) =>
    call.node === 'busy' ? manyProcesses(call) : healthyCluster[processesPath]?.(call),
});

async function json(...words: string[]) {
  const { stdout, exitCode } = await suite.run('-n', 'node01', ...words, '-o', 'json');
  return { document: JSON.parse(stdout), exitCode };
}

test('memory prints every field as a number', async () => {
  const { document, exitCode } = await json('memory');
  assert.equal(exitCode, 0);
  assert.deepEqual(Object.keys(document[0]), ['node', 'meminfo']);
  assert.equal(document[0].meminfo.memtotal, 8_128_512);
});

test('a failed node is in the document with its error, in the order of the nodes', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node02,node03,node01', 'mounts', '-o', 'json');
  const entries = JSON.parse(stdout);
  assert.deepEqual(
    entries.map(({ node, error }: { node: string; error?: object }) => ({ node, error })),
    [
      { node: 'node02', error: undefined },
      {
        node: 'node03',
        error: { code: 'Unavailable', message: 'no route to node "node03": connection refused' },
      },
      { node: 'node01', error: undefined },
    ],
  );
  assert.deepEqual(
    { stderr, exitCode },
    {
      stderr:
        'error from node node03: rpc error: code = Unavailable desc = no route to node "node03": connection refused\n',
      exitCode: 1,
    },
  );
});

test('YAML has the same content as JSON', async () => {
  for (const command of ['memory', 'processes', 'mounts', 'time', 'version']) {
    const words = ['-n', 'node01', command, '-o'];
    const [asJson, asYaml] = await Promise.all([suite.run(...words, 'json'), suite.run(...words, 'yaml')]);
    assert.deepEqual(parse(asYaml.stdout), JSON.parse(asJson.stdout), command);
  }
});

test('processes and mounts print lists, service its events with times', async () => {
  const [processes, mounts, services] = await Promise.all([
    json('processes'),
    json('mounts'),
    json('service'),
  ]);
  assert.equal(processes.document[0].processes[0].residentMemory, 82_000_000);
  assert.deepEqual(mounts.document[0].mounts[1], {
    filesystem: '/dev/vda1',
    size: 10_000_000_000,
    available: 2_500_000_000,
    mountedOn: '/',
  });
  const [apid] = services.document[0].services;
  assert.equal(apid.events[1].msg, 'Health check successful');
  assert.match(apid.events[1].ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

test('service, its actions, time and version print one entry per node', async () => {
  const [service, restart, time, version] = await Promise.all([
    json('service', 'apid'),
    json('service', 'apid', 'restart'),
    json('time'),
    json('version'),
  ]);
  assert.deepEqual([service.document[0].id, service.document[0].health.healthy], ['apid', true]);
  assert.deepEqual(restart.document, [{ node: 'node01', response: 'Service "apid" restarted' }]);
  assert.deepEqual(time.document, [
    {
      node: 'node01',
      server: 'time.example.org',
      localtime: '2026-08-14T12:00:00.123Z',
      remotetime: '2026-08-14T12:00:01Z',
    },
  ]);
  assert.deepEqual(version.document[0].version.tag, 'v1.14.0');
});

test('logs print one entry per line, and an empty log gives an empty list', async () => {
  const [lines, none] = await Promise.all([
    json('logs', 'apid'),
    suite.run('-n', 'node03', 'logs', 'apid', '-o', 'json'),
  ]);
  assert.deepEqual(
    lines.document.map(({ line }: { line: string }) => line),
    ['first line', 'second line', 'last, unfinished'],
  );
  assert.deepEqual(
    [JSON.parse(none.stdout).length, JSON.parse(none.stdout)[0].error.code, none.exitCode],
    [1, 'Unavailable', 1],
  );
});

test('followed logs print one line of JSON per log line, or one YAML document each', async () => {
  const followed = async (format: string) => {
    const child = suite.talosctl.start(['-n', 'node01', 'logs', 'apid', '-f', '-o', format], {
      environment: { TALOSCONFIG: suite.talosconfig },
    });
    const result = finished(child);
    let seen = '';
    // Output must be readable immediately: it must not be buffered until the end.
    child.stdout?.on('data', (text) => {
      seen += text;
      if (seen.includes('second line')) child.kill('SIGINT');
    });
    return (await result).stdout;
  };
  const [json, yaml] = await Promise.all([followed('json'), followed('yaml')]);
  const lines = json.trimEnd().split('\n');
  assert.deepEqual(
    lines.slice(0, 2).map((line) => JSON.parse(line)),
    [
      { node: 'node01', line: 'first line' },
      { node: 'node01', line: 'second line' },
    ],
  );
  assert.ok(
    yaml.startsWith('---\nnode: node01\nline: first line\n---\nnode: node01\nline: second line\n'),
    yaml,
  );
});

test('version --client -o json prints one object, and --json one protobuf message per node', async () => {
  const [client, protobuf] = await Promise.all([
    suite.run('version', '--client', '-o', 'json'),
    suite.run('-n', 'node01', 'version', '--json'),
  ]);
  assert.deepEqual(Object.keys(JSON.parse(client.stdout)), [
    'tag',
    'sha',
    'built',
    'goVersion',
    'os',
    'arch',
  ]);
  assert.equal(JSON.parse(protobuf.stdout).version.goVersion, 'node26');
});

test('an unknown output format is rejected', async () => {
  const { stderr, exitCode } = await suite.run('memory', '-o', 'xml');
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /^error: option --output must be one of table, wide, json, yaml, jsonpath='\{\.\.\.\}', not "xml"; see "talosctl memory --help"/,
  );
});

test('a slow reader gets the whole document', async () => {
  const child = suite.talosctl.start(['-n', 'busy', 'processes', '-o', 'json'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  await sleep(1000);
  const { stdout, exitCode } = await finished(child);
  assert.deepEqual([JSON.parse(stdout)[0].processes.length, exitCode], [20_000, 0]);
});
