import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TarItem } from '@nodewright/build/archives';
import {
  addonParts,
  endToEndParts,
  ensureKubernetes,
  type KubernetesPart,
  kubernetesParts,
} from '@nodewright/build/kubernetes';
import type { LockedTools } from '../debian/locked-tools.ts';
import { cachedFiles } from '../image/cached-files.ts';
import { imageOfLayers, type OciImage, type PackedLayer, packLayer } from '../image/oci-image.ts';
import { pathsBelow, placeFiles } from '../image/place-files.ts';
import { buildStaticProgram } from '../initramfs/build-static-program.ts';
import { kubernetesTools, loaders, triplets } from '../recipe.ts';
import { unpackLocked, type Workshop } from '../workshop.ts';
import { agnhostFiles } from './agnhost-files.ts';
import { folderItems } from './folder-items.ts';
import { type KubernetesImage, kubernetesImages, type LayerName } from './image-table.ts';

export interface BuildKubernetesImagesInit {
  readonly workshop: Workshop;
  readonly tools: LockedTools;
  readonly epochSeconds: number;
  readonly note: (line: string) => void;
}

/**
 * An image cache with the images of Kubernetes: the content of each file by its path.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function kubernetesImageCache(
  init: BuildKubernetesImagesInit,
): Promise<Readonly<Record<string, Buffer>>> {
  const built = await buildKubernetesImages(kubernetesImages, init);
  return Object.assign({}, ...built.map(([reference, image]) => cachedFiles(reference, image)));
}

/**
 * Builds images, each with its reference.
 *
 * @throws Error with one line that says what is missing and what to do
 */
export async function buildKubernetesImages(
  images: readonly KubernetesImage[],
  init: BuildKubernetesImagesInit,
): Promise<[reference: string, OciImage][]> {
  const { workshop, epochSeconds } = init;
  const names = new Set(images.flatMap(({ layers }) => layers));
  const layers = new Map<LayerName, PackedLayer>();
  for (const name of names) layers.set(name, packLayer(await itemsOf(name, init), epochSeconds, 'zstd'));
  return images.map((image) => {
    const own = image.isLinkToKube ? [packLayer([link(image.program, 'kube')], epochSeconds, 'zstd')] : [];
    const common = image.layers.flatMap((name) => layers.get(name) ?? []);
    const config = {
      Entrypoint: [`/${image.program}`],
      ...(image.words && { Cmd: image.words }),
      Env: ['PATH=/usr/local/bin:/usr/bin:/usr/sbin'],
      WorkingDir: '/',
    };
    const { architecture } = workshop;
    const built = imageOfLayers({ architecture, epochSeconds, config, layers: [...common, ...own] });
    return [image.reference, built];
  });
}

/** The kubelet looks for a user of its own, and refuses to start without these files. */
const userFiles = {
  'etc/passwd': 'root:x:0:0:root:/:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\n',
} as const;

async function itemsOf(
  name: LayerName,
  { workshop, tools, note }: BuildKubernetesImagesInit,
): Promise<TarItem[]> {
  switch (name) {
    case 'kube':
      return [await goProgram('usr/local/bin/kube', 'kubelet', kubernetesParts, workshop, note)];
    case 'coredns':
      return [await goProgram('usr/local/bin/coredns', 'coredns', addonParts, workshop, note)];
    case 'flannel':
      return [await goProgram('opt/bin/flanneld', 'flanneld', addonParts, workshop, note)];
    case 'agnhost':
      return [
        await goProgram('agnhost', 'agnhost', { agnhost: endToEndParts.agnhost }, workshop, note),
        ...(await agnhostFiles()),
      ];
    case 'busybox':
      return busyboxItems(workshop);
    case 'bash':
      return [...(await debianItems(kubernetesTools.bash, workshop)), link('usr/bin/sh', 'bash')];
    case 'netcat':
      return [
        ...(await debianItems(kubernetesTools.netcat, workshop)),
        // The one of busybox lacks options that the tests use.
        link('usr/bin/nc', 'nc.openbsd'),
      ];
    case 'pause': {
      const program = buildStaticProgram(tools, {
        ...{ source: import.meta.dirname, name: 'pause', work: workshop.work },
      });
      return [{ name: 'pause', mode: 0o755, content: { kind: 'file', data: [program] } }];
    }
    case 'users':
      return Object.entries(userFiles).map(([path, text]) => ({
        name: path,
        content: { kind: 'file', data: [Buffer.from(text)] },
      }));
    default:
      return debianItems(kubernetesTools[name], workshop);
  }
}

/** @param name of the program in the folder with the built ones */
async function goProgram(
  path: string,
  name: string,
  parts: Readonly<Record<string, KubernetesPart>>,
  { checkout }: Workshop,
  note: (line: string) => void,
): Promise<TarItem> {
  const { folder } = await ensureKubernetes({ checkout, environment: process.env, note, parts });
  return { name: path, mode: 0o755, content: { kind: 'file', data: [readFileSync(join(folder, name))] } };
}

/** The program, and a link to it for each command that it has. */
async function busyboxItems(workshop: Workshop): Promise<TarItem[]> {
  const tool = kubernetesTools.busybox;
  const unpacked = join(workshop.work, `${tool.package}.packages`);
  await unpackLocked(tool.package, unpacked, workshop);
  const program = join(unpacked, tool.programs[0]);
  const commands = execFileSync(program, ['--list'], { encoding: 'utf8' }).trim().split('\n').sort();
  return [
    link('bin', 'usr/bin'),
    { name: 'usr/bin/busybox', mode: 0o755, content: { kind: 'file', data: [readFileSync(program)] } },
    ...commands.filter((name) => name !== 'busybox').map((name) => link(`usr/bin/${name}`, 'busybox')),
    // Programs expect it, and a pod without a volume there has no other place for files.
    { name: 'tmp', mode: 0o1777, content: { kind: 'folder' } },
  ];
}

const link = (name: string, target: string): TarItem => ({
  name,
  mode: 0o777,
  content: { kind: 'link', target },
});

/** The program of iptables chooses by the name that it was called by. */
const tableCommands = ['iptables', 'ip6tables'].flatMap((name) =>
  ['', '-save', '-restore'].map((suffix) => `usr/bin/${name}${suffix}`),
);

/** Programs of a package with the libraries that they load, and the loader where programs expect it. */
async function debianItems(
  tool: (typeof kubernetesTools)['bash' | 'curl' | 'mount' | 'netcat' | 'nft'],
  workshop: Workshop,
): Promise<TarItem[]> {
  const { work, architecture } = workshop;
  const triplet = triplets[architecture];
  const [unpacked, root] = [join(work, `${tool.package}.packages`), join(work, `${tool.package}.root`)];
  for (const name of [tool.package, ...tool.libraries, 'libc6']) await unpackLocked(name, unpacked, workshop);
  mkdirSync(root, { recursive: true });
  const libraries = `usr/lib/${triplet}/*.so.*`;
  const loader = loaders[architecture];
  const programs = tool.programs.map((path) => path.replace('<triplet>', triplet));
  placeFiles({ part: tool.package, source: unpacked, patterns: [...programs, libraries] }, root);
  const links = { bin: 'usr/bin', lib: 'usr/lib', lib64: 'usr/lib64', sbin: 'usr/bin', 'usr/sbin': 'bin' };
  return [
    ...folderItems(root, pathsBelow(root)),
    link(`${loader.folder}/${loader.name}`, `../lib/${triplet}/${loader.name}`),
    ...Object.entries(links).map(([name, target]) => link(name, target)),
    ...(tool === kubernetesTools.nft ? tableCommands.map((name) => link(name, 'xtables-nft-multi')) : []),
  ];
}
