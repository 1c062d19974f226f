import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TarItem } from '../../tools/images/tar.ts';
import { ensureKubernetes } from '../../tools/kubernetes/ensure-kubernetes.ts';
import type { LockedTools } from '../debian/locked-tools.ts';
import { cachedFiles } from '../image/cached-files.ts';
import { imageOfLayers, type PackedLayer, packLayer } from '../image/oci-image.ts';
import { pathsBelow, placeFiles } from '../image/place-files.ts';
import { buildStaticProgram } from '../initramfs/build-static-program.ts';
import { kubernetesTools, loaders, triplets } from '../recipe.ts';
import { unpackLocked, type Workshop } from '../workshop.ts';
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
  const { workshop, epochSeconds } = init;
  const names = new Set(kubernetesImages.flatMap(({ layers }) => layers));
  const layers = new Map<LayerName, PackedLayer>();
  for (const name of names) layers.set(name, packLayer(await itemsOf(name, init), epochSeconds));
  const files = kubernetesImages.map((image) => {
    const own = image.isLinkToKube ? [packLayer([linkTo(image)], epochSeconds)] : [];
    const common = image.layers.flatMap((name) => layers.get(name) ?? []);
    const config = {
      Entrypoint: [`/${image.program}`],
      Env: ['PATH=/usr/local/bin:/usr/bin:/usr/sbin'],
      WorkingDir: '/',
    };
    const { architecture } = workshop;
    const built = imageOfLayers({ architecture, epochSeconds, config, layers: [...common, ...own] });
    return cachedFiles(image.reference, built);
  });
  return Object.assign({}, ...files);
}

/** The kubelet looks for a user of its own, and refuses to start without these files. */
const userFiles = {
  'etc/passwd': 'root:x:0:0:root:/:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\n',
} as const;

const linkTo = ({ program }: KubernetesImage): TarItem => ({
  name: program,
  mode: 0o777,
  content: { kind: 'link', target: 'kube' },
});

function itemsOf(
  name: LayerName,
  { workshop, tools, note }: BuildKubernetesImagesInit,
): Promise<TarItem[]> | TarItem[] {
  switch (name) {
    case 'kube':
      return kubeItems(workshop, note);
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

async function kubeItems({ checkout }: Workshop, note: (line: string) => void): Promise<TarItem[]> {
  const { folder } = await ensureKubernetes({ checkout, environment: process.env, note });
  const data = [readFileSync(join(folder, 'kubelet'))];
  return [{ name: 'usr/local/bin/kube', mode: 0o755, content: { kind: 'file', data } }];
}

/** Programs of a package with the libraries that they load, and the loader where programs expect it. */
async function debianItems(
  tool: (typeof kubernetesTools)[keyof typeof kubernetesTools],
  workshop: Workshop,
): Promise<TarItem[]> {
  const { work, architecture } = workshop;
  const triplet = triplets[architecture];
  const [unpacked, root] = [join(work, `${tool.package}.packages`), join(work, `${tool.package}.root`)];
  for (const name of [tool.package, ...tool.libraries, 'libc6']) await unpackLocked(name, unpacked, workshop);
  mkdirSync(root, { recursive: true });
  const libraries = `usr/lib/${triplet}/*.so.*`;
  const loader = loaders[architecture];
  placeFiles({ part: tool.package, source: unpacked, patterns: [...tool.programs, libraries] }, root);
  const links = { bin: 'usr/bin', lib: 'usr/lib', lib64: 'usr/lib64', sbin: 'usr/bin', 'usr/sbin': 'bin' };
  return [
    ...folderItems(root, pathsBelow(root)),
    {
      name: `${loader.folder}/${loader.name}`,
      mode: 0o777,
      content: { kind: 'link', target: `../lib/${triplet}/${loader.name}` },
    },
    ...Object.entries(links).map(
      ([name, target]): TarItem => ({ name, mode: 0o777, content: { kind: 'link', target } }),
    ),
  ];
}
