// What a container of the image runs, and what it needs from an engine.

import type { TarItem } from '@nodewright/build/archives';
import { daemonV8Flags } from '@nodewright/build/bundles';
import { pathsBelow } from '../image/place-files.ts';
import { folderItems } from '../kubernetes/folder-items.ts';

/** The command of the first process. On a machine the init has the same words in C. */
const entrypoint = [
  '/usr/bin/node',
  // SIGUSR1 would open the debugger of Node.js.
  '--disable-sigusr1',
  ...daemonV8Flags.machined,
  ...['--disable-warning=ExperimentalWarning', '--disable-warning=SecurityWarning'],
  ...['/usr/lib/nodewright/machined/machined.cjs', '--root', '/', '--mode', 'container'],
  ...['--services-dir', '/usr/lib/nodewright'],
];

export interface NodeImageInit {
  readonly tag: string;
  readonly sha: string;
  /** The image of etcd that the node has, used unless the configuration names one. */
  readonly etcdImage: string;
  /** Whether the node runs the kubelet of its configuration. */
  readonly hasKubelet: boolean;
}

/** `config` of the image. Source: OCI image specification, image configuration. */
export function nodeImageConfig({ tag, sha, etcdImage, hasKubelet }: NodeImageInit) {
  return {
    Entrypoint: entrypoint,
    Env: [
      `MACHINED_ETCD_IMAGE=${etcdImage}`,
      'PATH=/usr/bin:/usr/local/sbin:/usr/local/bin:/opt/cni/bin',
      ...(hasKubelet ? ['MACHINED_KUBELET=on'] : []),
    ],
    // Containers and their images cannot be on the overlay of a container.
    Volumes: { '/opt': {}, '/system/state': {}, '/var': {} },
    WorkingDir: '/',
    StopSignal: 'SIGTERM',
    Healthcheck: {
      Test: ['CMD', '/usr/bin/node', `/${probe}/health-probe.cjs`, '/run/machined/machined.sock'],
      Interval: 5e9,
      Timeout: 3e9,
      StartPeriod: 60e9,
      Retries: 3,
    },
    Labels: {
      'org.opencontainers.image.description':
        'A whole node in one container: machined, apid, trustd, udevd-bridge, containerd',
      'org.opencontainers.image.licenses': 'Apache-2.0',
      'org.opencontainers.image.revision': sha,
      'org.opencontainers.image.title': 'nodewright node',
      'org.opencontainers.image.vendor': 'nodewright',
      'org.opencontainers.image.version': tag,
    },
  };
}

/**
 * Files that machined writes. On a machine `/etc` is its own; here it belongs to the image, and links lead to the folder that
 * machined may write to.
 */
const writtenFiles = ['cri/conf.d/hosts', 'cri/containerd.toml', 'machine-id', 'os-release'];

const probe = 'usr/lib/nodewright/health-probe';

/** The layer of the root file system, as it is in the squashfs. */
export function rootLayer(root: string): TarItem[] {
  return folderItems(root, pathsBelow(root));
}

/** One of the folders in which machined looks for images. */
const cacheFolder = 'usr/lib/nodewright/imagecache';

/** The layer with an image cache. @param files their contents by path */
export function cacheLayer(files: Readonly<Record<string, Buffer>>): TarItem[] {
  return Object.entries(files).map(([path, content]) => ({
    name: `${cacheFolder}/${path}`,
    content: { kind: 'file', data: [content] },
  }));
}

/** The layer with what only a container has. @param probeBundle the program of the health check */
export function containerLayer(probeBundle: Buffer): TarItem[] {
  const links = writtenFiles.map((path): TarItem => {
    const up = '../'.repeat(path.split('/').length);
    const target = `${up}system/etc/${path}`;
    return { name: `etc/${path}`, mode: 0o777, content: { kind: 'link', target } };
  });
  return [
    ...links,
    { name: probe, mode: 0o755, content: { kind: 'folder' } },
    { name: `${probe}/health-probe.cjs`, content: { kind: 'file', data: [probeBundle] } },
  ];
}
