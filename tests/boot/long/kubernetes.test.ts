// A control plane that is an emulated machine: its kubelet runs Kubernetes from the images on its disk, and pods of users. It takes more
// than twenty minutes: a verb of its own runs it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { machineImages } from '@nodewright/provision/machine';
import { eventually } from '@nodewright/testkit';
import { checkout } from '../../cluster/run-talosctl.ts';
import { kubectl, skipWithoutKubernetes } from '../../kubernetes/kubernetes-cluster.ts';
import { pageOf, webDeployment, webService } from '../../kubernetes/workload-manifests.ts';
import { noMachine } from '../machine.ts';

const program = join(checkout, '_out', 'dist', 'talosctl', 'talosctl.cjs');
const image = join(checkout, '_out', machineImages.kubernetes, 'disk.raw');
const noImage = existsSync(image) ? false : 'there is no such image: run make image KUBERNETES=1';
const skip = noMachine || noImage || skipWithoutKubernetes();
const home = mkdtempSync(join(tmpdir(), 'machine-kubernetes-'));
/** One step of an emulated machine on two busy processors. */
const timeoutMs = 600_000;

function talosctl(...words: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }> {
  const env = { ...process.env, TALOS_HOME: home, TALOSCONFIG: join(home, 'config') };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
      resolve({ exitCode: error === null ? 0 : 1, stdout, stderr }),
    );
  });
}

async function succeeds(...words: string[]): Promise<{ stdout: string; stderr: string }> {
  const ended = await talosctl(...words);
  assert.equal(ended.exitCode, 0, `talosctl ${words.join(' ')}: ${ended.stderr}`);
  return ended;
}

after(async () => {
  await talosctl('cluster', 'destroy', '--name', 'k', '--force');
  rmSync(home, { recursive: true, force: true });
});

test('a machine becomes a Ready node, runs pods that find each other by name, and does so again after a restart', {
  skip,
}, async () => {
  const created = await succeeds('cluster', 'create', 'qemu', '--name', 'k', '--kubernetes', '-o', 'json');
  process.stdout.write(created.stderr);
  const { cluster, kubernetes } = JSON.parse(created.stdout);
  assert.deepEqual([kubernetes.servers, kubernetes.workloads.nodes], [1, 1]);
  assert.match(cluster.kubernetesEndpoint ?? cluster.kubernetes_endpoint, /^https:\/\/127\.0\.0\.1:\d+$/);
  const place = { home, view: cluster };
  const run = (...words: string[]) => kubectl({ cluster: place }, ...words);
  /** Waits until an output matches. */
  const seen = async (pattern: RegExp, what: string, read: () => Promise<string>) => {
    let latest = '';
    const matches = async () => {
      latest = await read().catch((error: Error) => error.message);
      return pattern.test(latest);
    };
    await eventually(matches, { what, timeoutMs, explain: () => latest });
  };

  const deployment = webDeployment('one');
  const one = { ...deployment, spec: { ...deployment.spec, replicas: 1 } };
  for (const object of [pageOf('page'), webService, one])
    await kubectl({ cluster: place, input: JSON.stringify(object) }, 'apply', '-f', '-');
  const pods = () => run('get', 'pods', '-l', 'app=web', '--no-headers');
  await seen(/1\/1 +Running/, 'the pod', pods);
  assert.equal((await run('logs', 'deployment/web')).trim(), 'one on node01');
  const ask = () => run('exec', 'deployment/web', '--', 'wget', '-q', '-O', '-', 'http://web.default.svc');
  await seen(/^page$/m, 'the page by the name of its service', ask);

  // The kubeconfig of the machine is that of this host, too.
  await succeeds('kubeconfig', join(home, 'own'));
  const { stdout } = await succeeds('-n', '10.0.2.15', 'health', '--wait-timeout', '10m', '-o', 'json');
  assert.equal((JSON.parse(stdout) as { healthy: boolean }).healthy, true);
  assert.match((await succeeds('-n', '10.0.2.15', 'containers', '-k')).stdout, /default\/web-/);
  const overlay = await succeeds('-n', '10.0.2.15', 'get', 'volumestatus', '/opt', '-o', 'yaml');
  assert.match(overlay.stdout, /phase: ready/);

  await succeeds('-n', '10.0.2.15', 'reboot', '--timeout', '20m');
  await seen(/1\/1 +Running +[1-9]/, 'the pod after a restart of the machine', pods);
  await seen(/^page$/m, 'the page after a restart of the machine', ask);
});
