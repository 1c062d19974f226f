import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What the bytes of an image are made from: the code that builds it, the lock files, and the bundles of the daemons. A
 * file too many costs a build, and one too few would let an old image pass for a new one. So whole folders are listed.
 */
const folders = ['rootfs', 'packages', 'tools', '_out/dist'];
const files = ['package.json', 'package-lock.json'];

/** They never get into an image. */
const isApart = (name: string) => /^node_modules$|\.test\.ts$|\.md$/.test(name);

export interface ImageFacts {
  /** The time of all files in the image, Unix time. */
  readonly epochSeconds: number;
  /**
   * The fingerprints of the certificates that the image trusts, that for firmware first, which stands for the key that signs the unified
   * kernel.
   */
  readonly certificate: string;
  /** Digests of the extensions, in their order. */
  readonly extensions: readonly string[];
  /** The name of the kernel. */
  readonly kernel: string;
  /** Whether it has the images of Kubernetes. */
  readonly hasKubernetes: boolean;
}

/** SHA-256, in hex, of everything that decides the bytes of an image, except the key that signs its files. */
export function imageInputs(checkout: string, facts: ImageFacts): string {
  const { epochSeconds, certificate, extensions, kernel, hasKubernetes } = facts;
  const hash = createHash('sha256');
  hash.update(
    [process.version, process.arch, epochSeconds, certificate, kernel, hasKubernetes, ...extensions].join(
      '\0',
    ),
  );
  for (const path of [...folders.flatMap((folder) => filesBelow(checkout, folder)), ...files]) {
    const digest = createHash('sha256')
      .update(readFileSync(join(checkout, path)))
      .digest('hex');
    hash.update(`\0${path}\0${digest}`);
  }
  return hash.digest('hex');
}

/** Paths below the checkout, in the order of their names. */
function filesBelow(checkout: string, folder: string): string[] {
  return readdirSync(join(checkout, folder), { withFileTypes: true })
    .filter(({ name }) => !isApart(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      return entry.isDirectory() ? filesBelow(checkout, path) : [path];
    });
}
