// The tables for users, character by character.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemInfo } from '@nodewright/contract/gen/machine/machine.ts';
import type { TalosctlResult } from './run-talosctl.ts';
import { openSuite, sortedRows } from './suite.ts';

const suite = openSuite();

/** Header and sorted rows of a command that must succeed. */
function table({ stdout, stderr, exitCode }: TalosctlResult): string[] {
  assert.deepEqual({ stderr, exitCode }, { stderr: '', exitCode: 0 });
  return [stdout.split('\n', 1)[0] as string, ...sortedRows(stdout)];
}

test('memory prints one row per node in MiB', async () => {
  assert.deepEqual(table(await suite.run('memory')), [
    'NODE     TOTAL   USED   FREE   SHARED   BUFFERS   CACHE   AVAILABLE',
    'node01   7938    873    4071   137      49        2945    7042',
    'node02   7938    873    4071   137      49        2945    65536',
  ]);
});

test('memory has two aliases, and options may stand before the command', async () => {
  const lines = [
    ['-n', 'node01', 'free'],
    ['--nodes=node01', 'm'],
    ['memory', '-n', 'node01'],
  ];
  const outputs = await Promise.all(lines.map((words) => suite.run(...words)));
  assert.deepEqual(
    outputs.map((output) => table(output)[1]),
    Array(3).fill('node01   7938    873    4071   137      49        2945    7042'),
  );
});

test('-n a,b is -n a -n b, and a node that is named twice is called once', async () => {
  const outputs = await Promise.all(
    [
      ['-n', 'x,y'],
      ['-n', 'x', '-n', 'y'],
      ['-n', 'x, y,', '--nodes', 'x'],
    ].map((flags) => suite.run('memory', ...flags)),
  );
  for (const output of outputs) {
    assert.deepEqual(
      table(output)
        .slice(1)
        .map((row) => row.split(' ')[0]),
      ['x', 'y'],
    );
  }
});

test('memory -v prints every field', async () => {
  const { stdout, exitCode } = await suite.run('-n', 'node01', 'memory', '-v');
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(
    {
      exitCode,
      count: lines.length,
      first: lines.slice(0, 3),
      huge: lines.filter((line) => line.startsWith('HugeP')),
    },
    {
      exitCode: 0,
      // The line with the node, and one for each field.
      count: 1 + Object.keys(MemInfo.fromPartial({})).length,
      first: ['NODE: node01', 'MemTotal: 8128512 kB', 'MemFree: 4168704 kB'],
      huge: ['HugePagesTotal: 5', 'HugePagesFree: 0', 'HugePagesRsvd: 0', 'HugePagesSurp: 0'],
    },
  );
});

test('processes are sorted by memory, or by time', async () => {
  const [byMemory, byTime] = await Promise.all([
    suite.run('-n', 'node01', 'processes'),
    suite.run('-n', 'node01', 'ps', '-s', 'cpu'),
  ]);
  assert.equal(
    byMemory.stdout,
    `NODE     PID   STATE   THREADS   CPU-TIME   VIRTMEM   RESMEM   LABEL      COMMAND
node01   1     R       11        3.46       1.1 GB    82 MB    system_u   /usr/bin/node machined.cjs
node01   2     S       1         12.50      0 B       0 B                 kthreadd
`,
  );
  assert.deepEqual(
    byTime.stdout
      .split('\n')
      .slice(1, 3)
      .map((row) => row.split(/ +/)[1]),
    ['2', '1'],
  );
});

test('mounts omits what has no size', async () => {
  assert.equal(
    (await suite.run('-n', 'node01', 'mounts')).stdout,
    `NODE     FILESYSTEM   SIZE(GB)   USED(GB)   AVAILABLE(GB)   PERCENT USED   MOUNTED ON
node01   /dev/vda1    10.00      7.50       2.50            75.00%         /
`,
  );
});

test('service lists the services of a node', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'services');
  assert.equal(
    stdout.replace(/1h0m\ds/, '1h0m0s'),
    `NODE     SERVICE   STATE     HEALTH   LAST CHANGE   LAST EVENT
node01   apid      Running   OK       1h0m0s ago    Health check successful
node01   quiet     Waiting   ?         ago          <none>
node01   etcd      Failed    Fail      ago          <none>
`,
  );
});

test('service shows one service in detail where it exists', async () => {
  assert.match(
    (await suite.run('-n', 'node01', 'service', 'apid')).stdout,
    /^NODE {18}node01\nID {20}apid\nSTATE {17}Running\nHEALTH {16}OK\nLAST HEALTH MESSAGE {3}fine\nEVENTS {16}\[Running\]: Health check successful \(1h0m\ds ago\)\n {22}\[Preparing\]: Creating service runner \(1h6m\d+s ago\)\n$/,
  );
  const { stdout, exitCode } = await suite.run('service', 'etcd', 'status');
  assert.deepEqual(
    { stdout, exitCode },
    { stdout: 'NODE     node01\nID       etcd\nSTATE    Failed\nHEALTH   Fail\n', exitCode: 0 },
  );
});

test('service restarts a service', async () => {
  assert.deepEqual(table(await suite.run('service', 'apid', 'restart')), [
    'NODE     RESPONSE',
    'node01   Service "apid" restarted',
    'node02   Service "apid" restarted',
  ]);
});

test('time prints the time of the node and of its server', async () => {
  assert.equal(
    (await suite.run('-n', 'node01', 'time', '--check', 'ntp.example.org')).stdout,
    `NODE     NTP-SERVER        NODE-TIME                           NTP-SERVER-TIME
node01   ntp.example.org   2026-08-14 12:00:00.123 +0000 UTC   2026-08-14 12:00:01 +0000 UTC
`,
  );
});

test('logs joins partial lines, each with its node, and prints an unfinished last one', async () => {
  const { stdout } = await suite.run('logs', 'apid');
  assert.deepEqual(stdout.trimEnd().split('\n').sort(), [
    'node01: first line',
    'node01: last, unfinished',
    'node01: second line',
    'node02: first line',
    'node02: last, unfinished',
    'node02: second line',
  ]);
  assert.equal(
    (await suite.run('-n', 'node01', 'logs', 'apid', '--tail', '1')).stdout,
    'node01: last, unfinished\n',
  );
});

test('version prints the client, then the nodes', async () => {
  const block = (go: string) =>
    `\tBuilt:       yesterday\n\tGo version:  ${go}\n\tOS/Arch:     linux/amd64\n`;
  const { stdout } = await suite.run('-n', 'node01', 'version');
  assert.match(
    stdout,
    /^Client:\n\tTag: {9}v1\.14\.0\n\tSHA: {9}\S+\n\tBuilt: {7}.*\n\tGo version: {2}\S+\n\tOS\/Arch: {5}\S+\nServer:\n/,
  );
  assert.equal(
    stdout.slice(stdout.indexOf('Server:')),
    `Server:\n\tNODE:        node01\n\tTag:         v1.14.0\n\tSHA:         abc1234\n${block('node26')}\tEnabled:     RBAC\n`,
  );
});

test('version --client calls no node, and --short prints the heading and one line', async () => {
  const asked = suite.gateway.calls.length;
  const { stdout, exitCode } = await suite.talosctl.run(['version', '--client', '--short']);
  assert.deepEqual({ stdout, exitCode }, { stdout: 'Client:\nTalos v1.14.0\n', exitCode: 0 });
  assert.equal(suite.gateway.calls.length, asked);
});

test('version --short shortens the version of the client alone', async () => {
  const { stdout } = await suite.run('-n', 'node01', 'version', '--short');
  const { stdout: whole } = await suite.run('-n', 'node01', 'version');
  assert.equal(stdout, `Client:\nTalos v1.14.0\n${whole.slice(whole.indexOf('Server:'))}`);
});

test('without nodes the first endpoint answers, labelled with its host', async () => {
  const second = await suite.cluster.gateway({});
  const config = await suite.cluster.talosconfig(
    { endpoints: [suite.gateway.address, second.address] },
    'no-nodes',
  );
  const { stdout } = await suite.talosctl.run(['memory', '--talosconfig', config]);
  assert.deepEqual(sortedRows(stdout), ['127.0.0.1   7938    873    4071   137      49        2945    7042']);
  assert.deepEqual(suite.gateway.calls.at(-1), { path: '/machine.MachineService/Memory', node: undefined });
  assert.deepEqual(second.calls, []);
});
