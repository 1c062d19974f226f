// Failures, and how they are reported.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogsContainersResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { healthyCluster, withBrokenNode } from './replies.ts';
import { finished } from './run-talosctl.ts';
import { openSuite, sortedRows } from './suite.ts';

const unknownNodes = ['nod01', 'xyzzy'];
const memory = '/machine.MachineService/Memory';

const suite = openSuite({
  ...withBrokenNode('node03'),
  [memory]: (call) => {
    if (!unknownNodes.includes(call.node ?? '')) return withBrokenNode('node03')[memory]?.(call);
    const reason = 'it is not a member of this cluster, and its name does not resolve (ENOTFOUND)';
    return call.fail(14, `no route to node "${call.node}": ${reason} (via node01)`);
  },
  '/machine.MachineService/LogsContainers': (call) => {
    const ids = ['apid', 'machined'];
    call.send(
      LogsContainersResponse.encode(LogsContainersResponse.fromPartial({ messages: [{ ids }] })).finish(),
    );
    call.end();
  },
  '/machine.MachineService/Mounts': (call) => {
    if (call.node !== 'slow') healthyCluster['/machine.MachineService/Mounts']?.(call);
  },
});

test('a failing node does not affect the others: its error follows the table', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01,node03,node02', 'memory');
  assert.deepEqual(
    sortedRows(stdout).map((row) => row.split(' ')[0]),
    ['node01', 'node02'],
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

test('a node name that no header can carry is an invalid argument, in one line, and does not affect the others', async () => {
  const { stdout, stderr, exitCode } = await suite.run('-n', 'node01,nöde,a\nb', 'memory');
  assert.equal(sortedRows(stdout).length, 1);
  const line = (quoted: string) =>
    `error from node ${quoted}: rpc error: code = InvalidArgument desc = node name ${quoted} is not a host name or an address`;
  assert.deepEqual(
    { lines: stderr.trimEnd().split('\n').sort(), exitCode },
    { lines: [line('"a\\nb"'), line('"n\\u00f6de"')], exitCode: 1 },
  );
});

test('invalid node names are rejected in one line, and no other node is called', async () => {
  for (const [text, words] of [
    ['', ['-n', '']],
    ['', ['--nodes=']],
    [' ,', ['-n', 'node01', '-n', ' ,']],
  ] as const) {
    assert.deepEqual(await suite.run(...words, 'memory'), {
      stdout: '',
      stderr: `error: flag --nodes has an empty node name ("${text}"): name a node, or leave the flag out\n`,
      exitCode: 1,
    });
  }
  assert.equal((await suite.run('memory')).exitCode, 0);
});

test('a table without rows still has its header', async () => {
  const { stdout, exitCode } = await suite.run('-n', 'node03', 'memory');
  assert.deepEqual(
    { stdout, exitCode },
    { stdout: 'NODE   TOTAL   USED   FREE   SHARED   BUFFERS   CACHE   AVAILABLE\n', exitCode: 1 },
  );
});

test('an impossible timestamp is an error of its node', async () => {
  const { stderr, exitCode } = await suite.run('time');
  assert.deepEqual(
    { stderr, exitCode },
    {
      stderr: 'error from node node02: rpc error: code = Unknown desc = the remote time is not valid\n',
      exitCode: 1,
    },
  );
});

test('logs of a service that does not exist, and a service that no node has, fail', async () => {
  const [logs, service] = await Promise.all([
    suite.run('-n', 'node01', 'logs', 'nope'),
    suite.run('service', 'nope'),
  ]);
  assert.deepEqual(
    [logs.stderr, service.stderr, logs.exitCode, service.exitCode],
    [
      'error from node node01: rpc error: code = NotFound desc = log "nope" was not registered\n"talosctl service" lists the services\n',
      'error: service "nope" is not registered on any node\n"talosctl service" lists the services\n',
      1,
      1,
    ],
  );
});

test('a misspelt name is followed by a suggestion, and an unknown one by the names that exist', async () => {
  const [node, far, service, log] = await Promise.all([
    suite.run('-n', 'nod01', 'memory'),
    suite.run('-n', 'xyzzy', 'memory'),
    suite.run('service', 'apd'),
    suite.run('-n', 'node01', 'logs', 'apidd'),
  ]);
  const suggestion = ({ stderr }: { stderr: string }) => stderr.trimEnd().split('\n').slice(1);
  assert.deepEqual(suggestion(node), ['did you mean "node01"?']);
  assert.deepEqual(suggestion(far), ['the nodes of this cluster are node01, node02']);
  assert.deepEqual(suggestion(service), ['did you mean "apid"?']);
  assert.deepEqual(suggestion(log), ['did you mean "apid"?']);
});

test("a command-line mistake gives one line that names the command's help", async () => {
  const rows: [string[], RegExp][] = [
    [['memory', '--qqqqqqq'], /^error: unknown option "--qqqqqqq"; see "talosctl memory --help"\n$/],
    [['logs'], /^error: argument <id> is missing; see "talosctl logs --help"\n$/],
    [['service', 'apid', 'explode'], /^error: unknown action "explode".*; see "talosctl service --help"\n$/],
    [['memory', '-i'], /^error: flag --insecure needs --nodes; see "talosctl memory --help"\n$/],
    [
      ['logs', 'apid', '--tail', 'x'],
      /^error: option --tail must be a number of lines, not "x"; see "talosctl logs --help"\n$/,
    ],
    [
      ['memory', 'extra'],
      /^error: command memory takes no arguments: "extra"; see "talosctl memory --help"\n$/,
    ],
    [
      ['etcd', 'membrs'],
      /^error: unknown command "membrs": did you mean "members"\?; see "talosctl etcd --help"\n$/,
    ],
    [
      ['help', 'config', 'mege'],
      /^error: unknown command "mege": did you mean "merge"\?; see "talosctl config --help"\n$/,
    ],
    [['-n', 'x'], /^error: flag -n needs a command; see "talosctl --help"\n$/],
  ];
  await Promise.all(
    rows.map(async ([words, expected]) => {
      const { stderr, stdout, exitCode } = await suite.run(...words);
      assert.match(stderr, expected);
      assert.deepEqual({ stdout, exitCode }, { stdout: '', exitCode: 1 });
    }),
  );
});

test('an unknown command suggests the nearest, and an unimplemented command says so', async () => {
  const rows: [string, string][] = [
    ['memry', 'error: unknown command "memry": did you mean "memory"?; see "talosctl --help"\n'],
    ['xyzzy', 'error: unknown command "xyzzy"; see "talosctl --help"\n'],
    ['rotate-ca', 'error: talosctl rotate-ca is not implemented: the table in README.md says what is\n'],
    ['inject', 'error: talosctl inject is not implemented: the table in README.md says what is\n'],
    ['disks', 'error: talosctl disks was removed: use talosctl get disks\n'],
    ['constructor', 'error: unknown command "constructor"; see "talosctl --help"\n'],
  ];
  await Promise.all(
    rows.map(async ([verb, stderr]) => {
      assert.deepEqual(await suite.run(verb), { stdout: '', stderr, exitCode: 1 });
    }),
  );
});

test('help lists every command in its group without loading any', async () => {
  const [bare, flag, word, ofCommand] = await Promise.all([
    suite.run(),
    suite.run('--help'),
    suite.run('help'),
    suite.run('help', 'config', 'merge'),
  ]);
  assert.match(
    bare.stdout,
    /\nManage running Talos clusters:\n {2}apply-config .*\n( {2}\w+ .*\n)* {2}logs /,
  );
  assert.deepEqual([flag.stdout, word.stdout, bare.exitCode], [bare.stdout, bare.stdout, 0]);
  assert.match(ofCommand.stdout, /^Usage: talosctl config merge \[options\] <from>\n/);
});

test('an invalid or empty talosconfig, or one without the context or its endpoints, is reported with advice', async () => {
  const { folder } = suite.cluster;
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const broken = file('broken', 'context: a\ncontexts:\n  a: {endpoints: [\n');
  const empty = file('empty', '');
  const bare = file('bare', 'context: a\ncontexts: {a: {endpoints: []}, b: {endpoints: []}}\n');
  const rows: [string[], RegExp][] = [
    [['--talosconfig', broken, 'memory'], new RegExp(`^error: talosconfig ${broken}: line 4: `)],
    [
      ['--talosconfig', empty, 'memory'],
      new RegExp(`^error: talosconfig ${empty} is empty: start a cluster with "make up"`),
    ],
    [['--talosconfig', join(folder, 'missing'), 'memory'], /missing does not exist: start a cluster/],
    [
      ['--talosconfig', bare, '--context', 'c', 'memory'],
      /^error: context "c" is not defined in talosconfig .*; its contexts are: a, b\n$/,
    ],
    [
      ['--talosconfig', bare, 'memory'],
      /^error: context "a" of talosconfig .* has no endpoints: .*talosctl config endpoint/,
    ],
    [['-e', 'host:99999', 'memory'], /^error: endpoint "host:99999": "99999" is not a port/],
  ];
  await Promise.all(
    rows.map(async ([words, expected]) => {
      const { stderr, stdout, exitCode } = await suite.run(...words);
      assert.match(stderr, expected);
      assert.deepEqual({ stdout, exitCode }, { stdout: '', exitCode: 1 });
    }),
  );
  assert.equal(readdirSync(folder).includes('missing'), false);
});

test('Ctrl-C cancels the calls in flight, and received data is printed', async () => {
  const child = suite.talosctl.start(['-n', 'slow,node01', 'mounts'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const result = finished(child);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { stdout, stderr, exitCode } = await result;
  assert.deepEqual(
    { rows: sortedRows(stdout).length, stderr, exitCode },
    {
      rows: 1,
      stderr: '\nstopping; press Ctrl-C again to exit at once\ncancelled: nothing was changed\n',
      exitCode: 1,
    },
  );
});

test('Ctrl-C ends logs -f with success', async () => {
  const child = suite.talosctl.start(['-n', 'node01', 'logs', '-f', 'apid'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const result = finished(child);
  child.stdout?.once('data', () => child.kill('SIGINT'));
  const { stdout, exitCode } = await result;
  assert.deepEqual(
    { stdout, exitCode },
    { stdout: 'node01: first line\nnode01: second line\nnode01: last, unfinished\n', exitCode: 0 },
  );
});

test('a reader that closes the pipe ends the command without a message', async () => {
  const child = suite.talosctl.start(['-n', 'node01', 'logs', '-f', 'apid'], {
    environment: { TALOSCONFIG: suite.talosconfig },
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let stderr = '';
  child.stderr?.on('data', (text) => {
    stderr += text;
  });
  child.stdout?.once('data', () => {
    child.stdout?.destroy();
    child.kill('SIGINT');
  });
  assert.equal(await exit, 0);
  assert.doesNotMatch(stderr, /EPIPE/);
});

test('output that cannot be written is a failure', () => {
  const full = openSync('/dev/full', 'w');
  const { status, stderr } = spawnSync(process.execPath, [suite.talosctl.bundle, 'help'], {
    stdio: ['ignore', full, 'pipe'],
    encoding: 'utf8',
  });
  closeSync(full);
  assert.deepEqual(
    { status, stderr },
    { status: 1, stderr: 'error: the output cannot be written: no space left on device\n' },
  );
});
