// talosctl logs on a terminal, in a pipe and with -o raw.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Data } from '@nodewright/contract/gen/common/common.ts';
import { noTelemetry } from '@nodewright/telemetry';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';

const bytes = Buffer.from(
  [
    '{"level":"info","time":"2026-01-10T02:59:58.120Z","name":"apid","port":50000,"msg":"gateway listens"}',
    'a plain line \u001b[31m',
    '{"level":"warn","ts":"2026-01-10T03:00:00Z","msg":"slow\\nnode02: forged"}',
  ].join('\n'),
);

const scope = new AsyncDisposableStack();
let talosconfig: string;
before(async () => {
  const cluster = scope.use(await FakeCluster.create());
  const gateway = await cluster.gateway({
    '/machine.MachineService/Logs': (call) => {
      // A message ends inside a line.
      for (const part of [bytes.subarray(0, 40), bytes.subarray(40)])
        call.send(Data.encode(Data.fromPartial({ bytes: part })).finish());
      call.end();
    },
  });
  talosconfig = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'] });
});
after(() => scope.disposeAsync());

async function logs(isTTY: boolean, ...words: readonly string[]): Promise<readonly string[]> {
  let stdout = '';
  const exitCode = await runCli(['logs', 'apid', ...words], {
    stdout: { isTTY, write: (text) => (stdout += String(text)) },
    stderr: { write() {} },
    stdin: process.stdin,
    environment: { TALOSCONFIG: talosconfig },
    cwd: '/',
    now: () => new Date(),
    signal: new AbortController().signal,
    isInteractive: false,
    telemetry: async () => noTelemetry,
  });
  assert.equal(exitCode, 0);
  return stdout.trimEnd().split('\n');
}

const readable = [
  'node01: 2026-01-10 02:59:58.120 info    gateway listens port=50000',
  'node01: 2026-01-10 03:00:00.000 warning slow\\nnode02: forged',
];

test('logs prints time, level and text on a terminal, and leaves other lines as they are', async () => {
  const [first, plain, last] = await logs(true);
  assert.deepEqual([first, last], readable);
  assert.match(plain ?? '', /^node01: a plain line \\u001b\[31m$/);
});

test('logs prints the lines of the node in a pipe, and with -o raw on a terminal', async () => {
  const raw = bytes
    .toString()
    .split('\n')
    .map((line) => `node01: ${line}`);
  assert.deepEqual(await logs(false), raw);
  const [first, , last] = await logs(true, '-o', 'raw');
  assert.deepEqual([first, last], [raw[0], raw[2]]);
});
