// What a terminal shows while a node does not answer. Runs in this process, with an in-memory terminal.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { VersionResponse } from '@nodewright/contract/gen/machine/machine.ts';
import { noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { runCli } from '../../../cli/talosctl/src/program/run-cli.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { FakeHandler } from './fake-gateway.ts';
import { reply } from './replies.ts';

const silent: FakeHandler = () => {};
const scope = new AsyncDisposableStack();
let talosconfig: string;

before(async () => {
  const cluster = scope.use(await FakeCluster.create());
  const gateway = scope.use(
    await cluster.gateway({
      '/machine.MachineService/Logs': silent,
      '/machine.MachineService/Dmesg': silent,
      '/machine.MachineService/Events': silent,
      '/cluster.ClusterService/HealthCheck': silent,
      '/cosi.resource.State/List': silent,
      '/machine.MachineService/ApplyConfiguration': silent,
      '/machine.MachineService/MetaWrite': silent,
      '/suite.extensions.v1.ExtensionSetService/Install': silent,
      '/machine.MachineService/Version': (call) =>
        reply(call, VersionResponse, { messages: [{ version: { tag: 'v1.14.0' } }] }),
    }),
  );
  talosconfig = await cluster.talosconfig({ endpoints: [gateway.address] });
});
after(() => scope.disposeAsync());

const commands = [
  ...[['logs', 'apid'], ['dmesg'], ['events'], ['health'], ['get', 'members'], ['diskfree']],
  ...[
    ['patch', 'mc', '-p', '{"debug": true}'],
    ['meta', 'write', '12', 'x'],
  ],
  ['apply-config', '-f', join(import.meta.dirname, '../../../compose.yaml')],
  ['extensions', 'install', join(import.meta.dirname, '../../../compose.yaml')],
];
for (const words of commands) {
  test(`${words[0]} shows on a terminal which node it waits for`, async () => {
    const controller = new AbortController();
    let told = '';
    const stderr = {
      isTTY: true,
      columns: 80,
      write(text: string | Uint8Array) {
        told += text;
      },
    };
    const running = runCli(['-n', 'quiet', ...words], {
      stdout: { write() {} },
      stderr,
      stdin: process.stdin,
      environment: { TALOSCONFIG: talosconfig },
      cwd: import.meta.dirname,
      now: () => new Date(),
      signal: controller.signal,
      isInteractive: false,
      telemetry: async () => noTelemetry,
    });
    const line =
      words[0] === 'extensions'
        ? /\[Kwaiting for quiet to verify and keep the set \(\d+s\)$/
        : /\[Kwaiting for quiet \(\d+s\)$/;
    await eventually(() => line.test(told), {
      what: 'the line that says what is waited for',
      explain: () => JSON.stringify(told),
    });
    controller.abort();
    await running;
    // A user who interrupts the command before the answer is told what has become of it, and that the node may have executed it.
    const rest = told.slice(told.lastIndexOf('s)\r\u001b[K') + 's)\r\u001b[K'.length);
    assert.match(
      rest,
      words[0] === 'apply-config'
        ? /^quiet: interrupted before the node answered: .*\ncancelled: .*\n$/
        : /^(?:cancelled: .*\n)?$/,
    );
  });
}
