// A log destination in the configuration takes effect on a running node.
import assert from 'node:assert/strict';
import { createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@nodewright/testkit';
import { openProcessCluster } from './process-cluster.ts';

interface LogReceiver extends AsyncDisposable {
  readonly port: number;
  lines(): readonly Record<string, unknown>[];
}

async function startLogReceiver(): Promise<LogReceiver> {
  let text = '';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    lines: () =>
      text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Record<string, unknown>),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('services send their log lines to the configured destination as soon as it is configured', async () => {
  await using first = await startLogReceiver();
  await using second = await startLogReceiver();
  await using cluster = await openProcessCluster({ controlPlanes: 1, workers: 0 });
  const send = async (port: number, tag: string) => {
    const patch = `machine:
  logging:
    destinations:
      - endpoint: tcp://127.0.0.1:${port}
        format: json_lines
        extraTags:
          rack: ${tag}
`;
    // A YAML patch appends to a list, so the patch first deletes the previous destination.
    const words = tag === 'first' ? [] : ['-p', 'machine:\n  logging:\n    $patch: delete\n'];
    const { exitCode, stderr } = await cluster.talosctl('-n', 'node01', 'patch', 'mc', ...words, '-p', patch);
    assert.equal(exitCode, 0, stderr);
  };
  const services = (receiver: LogReceiver) => new Set(receiver.lines().map((line) => line['talos-service']));

  await send(first.port, 'first');
  await eventually(() => services(first).has('apid') && services(first).has('machined'), {
    what: 'lines of apid and machined',
  });
  const [line = {}] = first.lines();
  assert.equal(line.rack, 'first');
  assert.match(String(line['talos-time']), /^\d{4}-\d\d-\d\dT/);
  assert.match(String(line['talos-level']), /^(trace|debug|info|warn|error)$/);

  await send(second.port, 'second');
  await eventually(() => second.lines().length > 0, { what: 'lines at the second destination' });
  const kept = first.lines().length;
  await cluster.talosctl('-n', 'node01', 'read', '/etc/os-release');
  await eventually(() => second.lines().some(({ msg }) => String(msg).includes('request finished')), {
    what: 'a line of a request after the change',
  });
  assert.equal(first.lines().length - kept <= 1, true, 'the first destination hears nothing more');
});
