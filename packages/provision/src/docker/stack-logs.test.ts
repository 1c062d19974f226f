import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeClusterState } from '../domain/cluster-state.ts';
import type { TryDocker } from '../engine/index.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { createDockerProvisioner } from './docker-provisioner.ts';
import { parseLogLine } from './stack-logs.ts';

const docker: TryDocker = async ([word]) => ({
  code: 0,
  stdout: word === 'compose' ? '2.30.0' : '27.0.0 1.47',
  stderr: '',
});

/** Reading logs needs no programs of the nodes. */
const noParts = () => assert.fail('no node is to be started');

test('logs() ends without an error when its reader aborts it', { timeout: 60_000 }, async () => {
  await using temporary = await openTemporaryFolder();
  const { path } = temporary;
  await mkdir(join(path, 'clusters', 'x'), { recursive: true });
  const node = { name: 'node01', address: '10.5.0.2', type: 'controlplane' } as const;
  const state = encodeClusterState({
    provisioner: 'docker',
    name: 'x',
    phase: 'created',
    shape: { controlPlanes: 1, workers: 0 },
    patchDigest: '',
    nodes: [node],
    stack: { tag: 'dev', jaegerPort: 0, otlpPort: 0, publishedPorts: {}, engine: {} },
  });
  await writeFile(join(path, 'clusters', 'x', 'state.yaml'), state);
  // The signal ends this program, as it ends a client without a signal handler.
  const program = '#!/bin/sh\nwhile :; do echo "node01-1  | hello"; sleep 0.05; done\n';
  await writeFile(join(path, 'docker'), program, { mode: 0o755 });
  const environment = { PATH: `${path}:/usr/bin:/bin` };
  const ref = { name: 'x', clustersFolder: join(path, 'clusters') };
  const provisioner = createDockerProvisioner(noParts, { environment, docker });
  const ended = new AbortController();
  const lines: string[] = [];
  const request = { node: undefined, follow: true, signal: ended.signal };
  for await (const { node, text } of provisioner.logs(ref, request)) {
    lines.push(`${node} ${text}`);
    if (ended.signal.aborted) continue;
    ended.abort();
    // Wait until the command has ended.
    await sleep(500);
  }
  assert.equal(lines[0], 'node01 hello');
});

test('parseLogLine() returns the node of a line of compose', () => {
  assert.deepEqual(
    [
      '\u001b[2Knode01-1         | {"msg":"a | b"}',
      'node12-apid-1    | ',
      'node02-trustd-1  |   indented',
      '\u001b[2Knode01-1 exited with code 137',
      'jaeger-1  | line',
    ].map(parseLogLine),
    [
      { node: 'node01', text: '{"msg":"a | b"}' },
      { node: 'node12', text: '' },
      { node: 'node02', text: '  indented' },
      undefined,
      undefined,
    ],
  );
});
