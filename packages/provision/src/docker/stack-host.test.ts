import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { encodeClusterState } from '../domain/cluster-state.ts';
import type { ClusterView } from '../domain/provisioner.ts';
import type { TryDocker } from '../engine/index.ts';
import { openTemporaryFolder } from '../testing/temporary-folder.ts';
import { createDockerProvisioner } from './docker-provisioner.ts';

const progress = {
  step: <T>(_name: string, body: (say: (reason: string) => void) => Promise<T>) => body(() => {}),
  note: () => {},
};
const services = ['node01', 'node01-apid', 'node01-trustd', 'node011', 'node02', 'node02-apid'];

/** A fake engine with these services, all running. `orders` records the stop commands of compose. */
function fakeEngine(): { readonly docker: TryDocker; readonly orders: string[] } {
  const stopped = new Set<string>();
  const orders: string[] = [];
  const inspected = () =>
    services.map((service) => ({
      ...{ Id: service, RestartCount: 0 },
      Config: { Image: 'x', Labels: { 'com.docker.compose.service': service } },
      State: { Running: !stopped.has(service), Restarting: false, Pid: 1, ExitCode: 0, StartedAt: 'now' },
    }));
  const docker: TryDocker = async ([word, ...rest]) => {
    const answer = (stdout: string) => ({ code: 0, stdout, stderr: '' });
    if (word === 'ps') return answer(services.join('\n'));
    if (word === 'container') return answer(JSON.stringify(inspected()));
    if (word === 'version') return answer('27.0.0 1.47');
    const at = rest.indexOf('stop');
    if (at < 0) return answer('2.30.0');
    orders.push(rest.slice(at).join(' '));
    for (const service of rest.length === at + 1 ? services : rest.slice(at + 1)) stopped.add(service);
    return answer('');
  };
  return { docker, orders };
}

const states = ({ nodes }: ClusterView) => nodes.map(({ state }) => state);

test('stop() stops a node together with the containers in its network, and a cluster as a whole', async () => {
  await using temporary = await openTemporaryFolder();
  const clustersFolder = join(temporary.path, 'clusters');
  await mkdir(join(clustersFolder, 'x'), { recursive: true });
  const state = encodeClusterState({
    ...{ provisioner: 'docker', name: 'x', phase: 'created', patchDigest: '' },
    shape: { controlPlanes: 1, workers: 1 },
    nodes: [
      { name: 'node01', address: '10.5.0.2', type: 'controlplane' },
      { name: 'node02', address: '10.5.0.3', type: 'worker' },
    ],
    stack: { tag: 'dev', jaegerPort: 0, otlpPort: 0, publishedPorts: {}, engine: {} },
  });
  await writeFile(join(clustersFolder, 'x', 'state.yaml'), state);
  const { docker, orders } = fakeEngine();
  const noParts = () => assert.fail('no node is to be started');
  const provisioner = createDockerProvisioner(noParts, { environment: {}, docker });
  const stop = (node: string | undefined) => provisioner.stop({ name: 'x', clustersFolder, node }, progress);
  assert.deepEqual(states(await stop('node01')), ['stopped', 'running']);
  assert.deepEqual(states(await stop(undefined)), ['stopped', 'stopped']);
  assert.deepEqual(orders, ['stop node01 node01-apid node01-trustd', 'stop']);
  await assert.rejects(stop('node09'), { kind: 'invalid-argument' });
});
