// `make up` and `make down`: a cluster of this checkout, of containers when a Docker engine answers and of
// processes otherwise. `node tools/up.ts up --name <name> --controlplanes 3 --workers 1 [--provisioner
// docker|process] [--node-image] [--kubernetes]`, or `node tools/up.ts down --name <name>`, which also removes the image tags that `up`
// made.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeImages } from '@nodewright/build';
import { ensureEtcd } from '@nodewright/build/etcd';
import { allParts, ensureKubernetes, hasKubernetes, kubernetesParts } from '@nodewright/build/kubernetes';
import { findProvisioner } from '@nodewright/provision';
import { askEngine, tryDocker } from '@nodewright/provision/engine';
import { requireRoom } from '../packages/provision/src/docker/require-room.ts';
import { kubernetesVariable } from '../packages/provision/src/domain/daemon-environment.ts';
import { chooseProvisioner } from './up/choose-provisioner.ts';
import { ensureImages } from './up/ensure-images.ts';
import { ensureNodeImage } from './up/ensure-node-image.ts';
import { madeImagesFile, removeMade } from './up/made-images.ts';
import { nextSteps } from './up/next-steps.ts';

const checkout = join(import.meta.dirname, '..');
const { values, positionals } = parseArgs({
  options: {
    name: { type: 'string', default: 'talos-default' },
    controlplanes: { type: 'string', default: '3' },
    workers: { type: 'string', default: '1' },
    provisioner: { type: 'string', default: '' },
    'node-image': { type: 'boolean', default: false },
    kubernetes: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const shape = { controlPlanes: Number(values.controlplanes), workers: Number(values.workers) };
// An interrupt from the terminal also reaches the command, which then cleans up: wait for it.
process.on('SIGINT', () => {});

try {
  if (positionals[0] === 'down') await down();
  else await up();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function up(): Promise<void> {
  const ref = { name: values.name, clustersFolder: join(checkout, '_out', 'talos', 'clusters') };
  const existing = await findProvisioner(ref);
  if (values.kubernetes && !['', 'process', 'docker'].includes(values.provisioner))
    throw new Error(
      'KUBERNETES=1 runs on nodes of processes or of containers: set PROVISIONER=process or docker',
    );
  const engine = await askEngine();
  const { provisioner: chosen, note } = chooseProvisioner({ wanted: values.provisioner, existing, engine });
  if (note !== undefined) process.stderr.write(`${note}\n`);
  let provisioner = chosen;
  // The message of the command line already says what to do without an engine.
  if (chosen === 'docker' && existing === undefined && engine.state === 'ready') {
    // Before anything is built: that takes minutes.
    if (values.kubernetes) await requireRoom(shape, tryDocker);
    provisioner = await prepareImages();
  }
  if (provisioner === 'process') await prepareEtcd();
  const runsKubelets = values.kubernetes && provisioner === 'docker';
  if (values.kubernetes) await prepareKubernetes(runsKubelets);
  const isWhole = (values['node-image'] && existing === undefined) || runsKubelets;
  if (isWhole && provisioner !== 'docker')
    throw new Error('NODE_IMAGE=1 needs a Docker engine: set PROVISIONER=docker');
  const kind = runsKubelets ? 'kubernetes' : 'plain';
  // The nodes of a cluster that exists keep their image.
  if (isWhole && existing === undefined) await ensureNodeImage(checkout, kind);
  const image = isWhole ? nodeImages[kind].name : undefined;
  await talosctl(
    ...['cluster', 'create', '--provisioner', provisioner, '--name', values.name, '--if-absent'],
    ...['--controlplanes', values.controlplanes, '--workers', values.workers],
    ...(image === undefined ? [] : ['--node-image', image]),
    ...(values.kubernetes ? ['--kubernetes'] : []),
  );
  if (process.exitCode === 0) process.stderr.write(nextSteps(values));
}

/**
 * Returns the provisioner to use. When the images cannot be built, it is processes, unless the user asked for
 * containers.
 */
async function prepareImages(): Promise<'docker' | 'process'> {
  try {
    await ensureImages(checkout, process.env.NODEWRIGHT_TAG || 'dev');
    return 'docker';
  } catch (error) {
    if (values.provisioner !== '') throw error;
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}: using processes\n`);
    return 'process';
  }
}

/** Nodes without etcd are still useful, so report the failure and go on. */
async function prepareEtcd(): Promise<void> {
  const wanted = process.env.NODEWRIGHT_ETCD ?? '';
  if (wanted !== '') return;
  try {
    const { fetched, version } = await ensureEtcd(checkout);
    if (fetched) process.stderr.write(`fetched etcd ${version}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  }
}

/**
 * Unlike etcd, Kubernetes is fetched or built only for a user who asked for it.
 *
 * @param runsPods build also what runs only in pods
 */
async function prepareKubernetes(runsPods: boolean): Promise<void> {
  // A folder with the user's own programs is only for nodes of processes.
  if (!runsPods && (process.env[kubernetesVariable] ?? '') !== '') return;
  const note = (line: string) => void process.stderr.write(`kubernetes: ${line}\n`);
  // What runs pods is still built: the images of nodes have layers of their own.
  if (!runsPods && !hasKubernetes(checkout, process.env) && (await fetchPublicPrograms())) return;
  const parts = runsPods ? allParts : kubernetesParts;
  await ensureKubernetes({ checkout, environment: process.env, note, parts });
}

/**
 * Whether the programs are linked below the checkout, out of public images. The tool says why not itself.
 *
 * @throws Error after Ctrl-C
 */
async function fetchPublicPrograms(): Promise<boolean> {
  const words = [join(checkout, 'rootfs', 'fetch-kubernetes.ts')];
  const tool = spawn(process.execPath, words, { stdio: ['ignore', 2, 'inherit'] });
  const [code] = (await once(tool, 'close')) as [number | null];
  if (code === 130) throw new Error('cancelled: no cluster was created');
  return code === 0;
}

async function down(): Promise<void> {
  await talosctl('cluster', 'destroy', '--name', values.name, '--force', '--if-present', '--yes');
  if (process.exitCode !== 0 && process.exitCode !== undefined) return;
  const { removed, used } = await removeMade(join(checkout, madeImagesFile));
  if (removed.length > 0) process.stderr.write(`removed the images ${removed.join(', ')}\n`);
  if (used.length > 0) process.stderr.write(`images that are in use stay: ${used.join(', ')}\n`);
}

/**
 * Runs the command line of this checkout. It manages the checkout's own clusters, whatever the environment
 * says.
 */
async function talosctl(...words: string[]): Promise<void> {
  const { TALOSCONFIG: _, TALOS_HOME: __, ...environment } = process.env;
  const child = spawn(join(checkout, 'bin', 'talosctl'), words, { stdio: 'inherit', env: environment });
  const [code] = (await once(child, 'close')) as [number | null];
  process.exitCode = code ?? 1;
}
