// Prepares what nodes need: `node tools/prepare-nodes.ts [process|docker|node-image|kubernetes|qemu]`. Nodes of processes need etcd's
// programs; nodes of containers need an engine and the images, and whole nodes and machines their image. Targets of the Makefile call it, so that each
// of them works right after a clone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ensureEtcd } from '@nodewright/build/etcd';
import { allParts, ensureKubernetes } from '@nodewright/build/kubernetes';
import { askEngine } from '@nodewright/provision/engine';
import { ensureImages } from './up/ensure-images.ts';
import { ensureNodeImage } from './up/ensure-node-image.ts';

const checkout = join(import.meta.dirname, '..');
const preparations: Readonly<Record<string, () => Promise<void>>> = {
  process: prepareEtcd,
  docker: prepareImages,
  'node-image': () => prepareNodeImage('plain'),
  kubernetes: prepareKubernetesImage,
  qemu: prepareMachine,
};
const kind = process.argv[2] || 'process';
const prepare = Object.hasOwn(preparations, kind) ? preparations[kind] : undefined;

try {
  if (prepare === undefined)
    throw new Error(`CLUSTER=${kind} is none of ${Object.keys(preparations).join(', ')}`);
  await prepare();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function prepareEtcd(): Promise<void> {
  const { fetched, version } = await ensureEtcd(checkout);
  if (fetched) process.stdout.write(`fetched etcd ${version}\n`);
}

async function prepareImages(): Promise<void> {
  const engine = await askEngine();
  if (engine.state !== 'ready') throw new Error(`${engine.advice}: \`make engine\` starts one`);
  await ensureImages(checkout, process.env.NODEWRIGHT_TAG || 'dev');
}

async function prepareNodeImage(kind: 'plain' | 'kubernetes'): Promise<void> {
  await prepareImages();
  await ensureNodeImage(checkout, kind);
}

async function prepareKubernetesImage(): Promise<void> {
  const note = (line: string) => void process.stdout.write(`kubernetes: ${line}\n`);
  await ensureKubernetes({ checkout, environment: process.env, note, parts: allParts });
  await prepareNodeImage('kubernetes');
}

/** Builds the image of machines, unless there is one of these sources. */
async function prepareMachine(): Promise<void> {
  await prepareEtcd();
  const build = spawn(process.execPath, [join(checkout, 'rootfs', 'build-image.ts')], { stdio: 'inherit' });
  const [code] = (await once(build, 'close')) as [number | null];
  if (code !== 0) throw new Error('the image of machines could not be made');
}
