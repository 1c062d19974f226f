// A change that restarts the kubelet and replaces the API server at once, given to three control planes with one command: a new version
// together with another accepted authority. The kubelets know nothing of their pods while they start, which must not look like a
// replacement that is done.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { generateCertificateAuthority } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import { builtKubernetesVersion } from '../../packages/provision/src/domain/kubernetes-programs.ts';
import { ensureContainerd } from '../../tools/containerd/ensure-containerd.ts';
import { type DockerCluster, pidOf } from '../cluster/docker/docker-cluster.ts';
import { checkout } from '../cluster/run-talosctl.ts';
import {
  apiServer,
  type ControlPlanes,
  controlPlanesOf,
  isApiServerReady,
  withApiServerFlags,
} from './control-planes.ts';
import { openKubeletCluster, skipWithoutKubelets } from './kubernetes-cluster.ts';

const skip = await skipWithoutKubelets();
const scope = new AsyncDisposableStack();
/** Three replacements after each other, each of which may take the two minutes of its deadline. */
const timeoutMs = 600_000;
const soon = (what: string, explain?: () => string) => ({ what, timeoutMs, ...(explain && { explain }) });
/** The patch version after the one that is built. It names the same images, so that the test needs no second build. */
const newVersion = builtKubernetesVersion.replace(/\d+$/, (patch) => String(Number(patch) + 1));
/** The images by the namespace of containerd that holds them. */
const images = { system: 'ghcr.io/siderolabs/kubelet', 'k8s.io': 'registry.k8s.io/kube-apiserver' };
let cluster: DockerCluster;
let planes: ControlPlanes;

before(async () => {
  if (skip) return;
  cluster = scope.use(await openKubeletCluster({ controlPlanes: 3, workers: 0 }));
  planes = controlPlanesOf(cluster);
  await eventually(async () => (await areReady()).every(Boolean), soon('three ready API servers'));
});
after(() => scope.disposeAsync());

const areReady = () => planes.each(({ address }) => isApiServerReady(address));
const pidsOf = (program: string) => planes.each(async (node) => (await planes.processOf(node, program))?.pid);

/** Gives the images of a node further names, with the containerd of the node. */
async function nameImages(container: string): Promise<void> {
  const { folder } = ensureContainerd(checkout);
  const pid = await pidOf(container);
  const socket = `/proc/${pid}/root/run/containerd/containerd.sock`;
  for (const [namespace, image] of Object.entries(images))
    await promisify(execFile)(join(folder, 'ctr'), [
      ...['--address', socket, '--namespace', namespace, 'images', 'tag'],
      ...[`${image}:v${builtKubernetesVersion}`, `${image}:v${newVersion}`],
    ]);
}

/** JSON is YAML. */
const document = (kind: string, fields: object) =>
  JSON.stringify({ apiVersion: 'v1alpha1', kind, ...fields });

interface ReadyWatch {
  /** Ends the questions, and returns how many were asked and the largest number of API servers that were not ready at once. */
  stop(): Promise<{ readonly asked: number; readonly worst: number; readonly looks: readonly string[] }>;
}

/** Asks each API server ten times a second whether it is ready. */
function watchReady(): ReadyWatch {
  const pauseMs = 100;
  const ready = new Map(cluster.controlPlanes.map(({ name }) => [name, true]));
  const looks: string[] = [];
  const begunMs = performance.now();
  let [isOver, asked, worst] = [false, 0, 0];
  const ask = async (name: string, address: string) => {
    while (!isOver) {
      const askedMs = performance.now();
      const isReady = await isApiServerReady(address);
      asked += 1;
      if (ready.get(name) !== isReady)
        looks.push(
          `${((performance.now() - begunMs) / 1000).toFixed(1)} s: ${name} ${isReady ? 'ready' : 'not ready'}`,
        );
      ready.set(name, isReady);
      worst = Math.max(worst, [...ready.values()].filter((one) => !one).length);
      await sleep(Math.max(0, pauseMs - (performance.now() - askedMs)));
    }
  };
  const asking = Promise.all(cluster.controlPlanes.map(({ name, address }) => ask(name, address)));
  return {
    async stop() {
      isOver = true;
      await asking;
      return { asked, worst, looks };
    },
  };
}

test('a new version and an accepted authority in one document leave two API servers at each moment', {
  skip,
}, async () => {
  for (const { name } of cluster.controlPlanes) await nameImages(cluster.containerOf(name));
  const { certificate } = await generateCertificateAuthority({
    algorithm: 'ecdsa-p256',
    organization: 'kubernetes',
    notBefore: new Date(),
  });
  const [servers, kubelets] = [await pidsOf(apiServer), await pidsOf('kubelet')];
  const watch = watchReady();
  await planes.patchAll(
    [
      document('KubeletConfig', { image: `${images.system}:v${newVersion}` }),
      document('KubeAPIServerConfig', { image: `${images['k8s.io']}:v${newVersion}` }),
      document('KubeAPIServerCAConfig', { acceptedCAs: [certificate] }),
    ].join('\n---\n'),
  );
  let latest: unknown;
  const areReplaced = async () => {
    const now = [await pidsOf(apiServer), await pidsOf('kubelet')] as const;
    latest = { before: [servers, kubelets], now };
    const areNew = (pids: typeof servers, old: typeof servers) =>
      pids.every((pid, index) => pid !== undefined && pid !== old[index]);
    return areNew(now[0], servers) && areNew(now[1], kubelets) && (await areReady()).every(Boolean);
  };
  await eventually(
    areReplaced,
    soon('new kubelets and API servers', () => JSON.stringify(latest)),
  );
  const { asked, worst, looks } = await watch.stop();
  process.stdout.write(`asked ${asked} times\n${looks.join('\n')}\n`);
  assert.equal(worst, 1, looks.join('\n'));
});

test('a bad setting that comes with a change of the kubelet stops at the first node', {
  skip,
}, async () => {
  const watch = watchReady();
  const kubelet = document('KubeletConfig', { extraArgs: { v: '3' } });
  await planes.patchAll(`${withApiServerFlags('{ not-a-flag: "1" }')}\n---\n${kubelet}`);
  let failed: string | undefined;
  await eventually(async () => {
    for (const node of cluster.controlPlanes)
      if ((await planes.statusOf(node)).includes('reason: ReplacementFailed')) failed = node.name;
    return failed !== undefined;
  }, soon('the report of the failed replacement'));
  for (const node of cluster.controlPlanes.filter(({ name }) => name !== failed)) {
    let latest = '';
    const waits = async () => {
      latest = await planes.statusOf(node);
      return latest.includes('reason: WaitsForOthers');
    };
    await eventually(
      waits,
      soon('the reason of the others', () => latest),
    );
    const running = await planes.processOf(node, apiServer);
    assert.ok(
      running !== undefined && !running.args.includes('not-a-flag'),
      running?.args ?? 'no API server',
    );
  }
  const bad = await watch.stop();
  assert.equal(bad.worst, 1, bad.looks.join('\n'));
  await planes.patchAll(withApiServerFlags('{ not-a-flag: { $patch: delete }, v: "1" }'));
  const isCorrected = async () =>
    (await areReady()).every(Boolean) &&
    (await planes.each(async (node) => (await planes.processOf(node, apiServer))?.args ?? '')).every((args) =>
      args.includes('--v=1'),
    );
  await eventually(isCorrected, soon('the corrected flags'));
});
