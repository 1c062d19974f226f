// What a user reads before the certificate of a context ends.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { noTelemetry } from '@nodewright/telemetry';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeGateway } from './fake-gateway.ts';
import { healthyCluster } from './replies.ts';

const scope = new AsyncDisposableStack();
const yearHours = 8760;
let cluster: FakeCluster;
let gateway: FakeGateway;

before(async () => {
  cluster = scope.use(await FakeCluster.create());
  gateway = await cluster.gateway(healthyCluster);
});
after(() => scope.disposeAsync());

/** Runs a command with a certificate for a year that was issued some days ago. */
async function run(ageDays: number, ...words: readonly string[]) {
  const notBefore = new Date(Date.now() - ageDays * 24 * 3_600_000);
  const client = await cluster.clientCertificate({ notBefore, lifetimeHours: yearHours });
  const TALOSCONFIG = await cluster.talosconfig({ endpoints: [gateway.address], nodes: ['node01'], client });
  const output = { stdout: '', stderr: '' };
  const exitCode = await runCli(words, {
    stdout: { write: (text) => (output.stdout += text) },
    stderr: { write: (text) => (output.stderr += text) },
    stdin: process.stdin,
    environment: { TALOSCONFIG, HOME: cluster.folder },
    cwd: '/',
    now: () => new Date(),
    signal: new AbortController().signal,
    isInteractive: false,
    telemetry: async () => noTelemetry,
  });
  return { ...output, exitCode };
}

test('commands warn on stderr in the last 30 days of the certificate, and work', async () => {
  for (const words of [['memory'], ['get', 'members', '-o', 'json'], ['reboot', '--dry-run']]) {
    const warned = await run(340, ...words);
    assert.match(
      warned.stderr,
      /^warning: the certificate of context "test" ends on 20\d\d-\d\d-\d\d: start a cluster/,
    );
    assert.equal(warned.stderr.match(/warning: the certificate/g)?.length, 1);
    assert.equal(warned.stdout.includes('warning: the certificate'), false);
  }
  const { exitCode, stdout } = await run(340, 'memory');
  assert.equal(exitCode, 0);
  assert.match(stdout, /node01/);
});

test('commands say once that the certificate has ended, and what to do', async () => {
  const { exitCode, stderr } = await run(366, 'memory');
  assert.equal(exitCode, 1);
  assert.match(
    stderr,
    /^error from node node01: .*certificate.*\n.*"talosctl config new".*gen config --with-secrets.*\n$/,
  );
  assert.equal(stderr.match(/ended|expired/g)?.length, 1, stderr);
});

test('commands are silent about a certificate that is valid for long, and when they call no node', async () => {
  assert.equal((await run(300, 'memory')).stderr, '');
  assert.equal((await run(340, 'config', 'contexts')).stderr, '');
  assert.equal((await run(340, 'version', '--client')).stderr, '');
  assert.equal((await run(340, 'memory', '--insecure')).stderr.includes('warning: the certificate'), false);
});
