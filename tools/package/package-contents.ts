// The files of a package, from a built checkout.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { nativeArchitecture, npmArchitecture } from '@nodewright/build';
import { etcdFolder } from '@nodewright/build/etcd';
import { buildCertificatesFile } from '@nodewright/contract';
import { build } from 'esbuild';

export interface PackedFile {
  /** Below the package. */
  readonly path: string;
  readonly isProgram: boolean;
  readonly data: Buffer;
}

/** Bundles that clusters of processes and talosctl run. */
const packedBundles = [
  'apid',
  'machined',
  'process-supervisor',
  'registryd',
  'talosctl',
  'trustd',
  'udevd-bridge',
] as const;

/** npm's name of the architecture of this machine. */
export const packedArchitecture = npmArchitecture(nativeArchitecture());

/**
 * Collects the files, sorted by their paths. Bundles and etcd must have been made.
 *
 * @throws Error that names a file that is missing
 */
export async function collectFiles(checkout: string, manifest: object): Promise<PackedFile[]> {
  const runtime = `runtime/linux-${packedArchitecture}`;
  const node = join(checkout, 'node_modules', `node-linux-${packedArchitecture}`);
  const text = (path: string, content: string): PackedFile => ({
    ...{ path, isProgram: false, data: Buffer.from(content) },
  });
  const files = [
    ...collectBundles(join(checkout, '_out', 'dist')),
    file('LICENSE', join(checkout, 'LICENSE')),
    file('README.md', join(checkout, 'tools', 'package', 'README.package.md')),
    file('bin/nodewright', join(checkout, 'tools', 'package', 'nodewright.sh'), true),
    text('dist/nodewright/nodewright.cjs', await bundleProgram(checkout)),
    text('package.json', `${JSON.stringify(manifest, undefined, 2)}\n`),
    file(`${runtime}/LICENSE`, join(node, 'LICENSE')),
    file(`${runtime}/libatomic.so.1`, libraryOfNode()),
    file(`${runtime}/node`, join(node, 'bin', 'node'), true),
    ...['etcd', 'etcdutl'].map((name) => file(`tools/etcd/${name}`, join(etcdFolder(checkout), name), true)),
  ];
  return files.toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

const file = (path: string, from: string, isProgram = false): PackedFile => ({
  ...{ path, isProgram, data: readFileSync(from) },
});

/**
 * Collects what `make build` writes to a folder, as far as clusters of processes and talosctl use it.
 *
 * @throws Error that names a file or folder that is missing
 */
export function collectBundles(dist: string): PackedFile[] {
  const bundles = packedBundles.flatMap((name) => {
    const folder = join(dist, name);
    const found = globSync('**/*', { cwd: folder }).filter((path) => statSync(join(folder, path)).isFile());
    if (!found.includes(`${name}.cjs`)) throw new Error(`${folder} is missing: run make build`);
    return found.map((path) => file(`dist/${name}/${path}`, join(folder, path)));
  });
  const certificates = join(dist, buildCertificatesFile);
  if (!existsSync(certificates)) throw new Error(`${certificates} is missing: run make build`);
  return [...bundles, file(`dist/${buildCertificatesFile}`, certificates)];
}

async function bundleProgram(checkout: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(checkout, 'tools', 'package', 'program', 'main.ts')],
    ...{ bundle: true, write: false, platform: 'node', target: 'node26', format: 'cjs' },
    ...{ minifySyntax: true, minifyWhitespace: true, legalComments: 'inline', logLevel: 'warning' },
    define: { 'import.meta.dirname': '__dirname' },
    absWorkingDir: checkout,
  });
  return outputFiles[0]?.text ?? '';
}

/** The library that the loader has found for this process: it works with the Node.js of the package, which runs this. */
function libraryOfNode(): string {
  const path = /\s(\/\S*\/libatomic\.so\.1(?:\.\S+)?)$/m.exec(readFileSync('/proc/self/maps', 'utf8'))?.[1];
  if (path !== undefined) return path;
  throw new Error('this Node.js runs without libatomic.so.1: run the one of the checkout, as make does');
}
