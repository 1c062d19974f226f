// Makes the client a package that can be published: `node tools/sdk.ts [folder]`; the default folder is
// _out/sdk.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { oldestNodeMajor } from '../packages/client/src/require-node-version.ts';
import { moveDeclarations } from './sdk/declarations.ts';
import { packagePaths } from './sdk/package-paths.ts';
import { replaceFolder } from './sdk/replace-folder.ts';

const checkout = join(import.meta.dirname, '..');
const client = join(checkout, 'packages', 'client');

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;

/** The entry files, by the import path after the package's name. The messages have one entry per contract. */
const entries: Readonly<Record<string, string>> = {
  index: 'packages/client/src/index.ts',
  configuration: 'packages/node-files/src/configuration.ts',
  health: 'packages/client/src/health/index.ts',
  kinds: 'packages/state/src/kinds/index.ts',
  talosconfig: 'packages/client/src/talosconfig/index.ts',
  ...Object.fromEntries(
    globSync('packages/contract/src/gen/{common,machine,time,storage,cluster,inspect,cosi}/**/*.ts', {
      cwd: checkout,
    }).map((file) => [file.replace(/^packages\/contract\/src\/gen\/(.*)\.ts$/, 'messages/$1'), file]),
  ),
};

/** Bundles the packages of this project into ES modules; code that several entries need is in shared chunks. */
async function bundle(folder: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: Object.entries(entries).map(([out, file]) => ({ in: join(checkout, file), out })),
    outdir: join(folder, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: `node${oldestNodeMajor}`,
    plugins: [
      {
        name: 'other-packages',
        setup(setup) {
          // Packages of this project are bundled; packages of others stay dependencies.
          setup.onResolve({ filter: /^[^./]/ }, ({ path }) =>
            path.startsWith('@nodewright/') ? undefined : { path, external: true, sideEffects: false },
          );
        },
      },
    ],
    logLevel: 'warning',
    absWorkingDir: checkout,
    metafile: true,
  });
  const reached = new Set(reachedOutputs(metafile));
  for (const output of Object.keys(metafile.outputs))
    if (!reached.has(output)) rmSync(join(checkout, output));
  return metafile;
}

/**
 * The output files that the entries reach. The bundler also writes files that only unused code would have
 * loaded.
 */
function reachedOutputs({ outputs }: Metafile): string[] {
  const ownEntries = new Set(Object.values(entries));
  const reached = Object.keys(outputs).filter((output) => ownEntries.has(outputs[output]?.entryPoint ?? ''));
  for (const output of reached) {
    for (const { path, external } of outputs[output]?.imports ?? []) {
      if (!external && !reached.includes(path)) reached.push(path);
    }
  }
  return reached;
}

/** The external packages that the bundle imports, with the versions that this checkout is tested with. */
function dependenciesOf(folder: string, metafile: Metafile): Record<string, string> {
  const versions = Object.assign(
    {},
    ...globSync('packages/*/package.json', { cwd: checkout }).map(
      (path) => readManifest(join(checkout, dirname(path))).dependencies,
    ),
  ) as Record<string, string>;
  const imported = reachedOutputs(metafile).flatMap((output) =>
    (metafile.outputs[output]?.imports ?? [])
      .filter(({ external, path }) => external && !path.startsWith('node:'))
      .map(({ path }) => path),
  );
  const declared = globSync('types/**/*.d.ts', { cwd: folder }).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return [...text.matchAll(/\bfrom\s+['"]([^.'"][^'"]*)['"]/g)].map(([, path = '']) => path);
  });
  const packages = [...imported, ...declared].filter((path) => !path.startsWith('node:'));
  const names = new Set(
    packages.map((path) =>
      path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/'),
    ),
  );
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const version = versions[name];
      if (version === undefined) throw new Error(`no package of this checkout depends on ${name}`);
      return [name, version];
    }),
  );
}

/** Writes the declarations of everything that the entries reach, with imports that refer to each other. */
function declare(folder: string, { inputs }: Metafile): void {
  const staging = join(folder, 'declarations');
  const project = join(folder, 'tsconfig.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: relative(folder, join(checkout, 'tsconfig.json')),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        rootDir: checkout,
        outDir: staging,
        typeRoots: [join(checkout, 'node_modules', '@types')],
        paths: packagePaths(checkout),
      },
      include: [],
      exclude: [],
      // Include the sources' own declarations of packages that come without any.
      files: [...Object.keys(inputs), ...globSync('packages/*/src/*.d.ts', { cwd: checkout })]
        .filter((file) => file.startsWith('packages/'))
        .map((file) => join(checkout, file)),
    }),
  );
  execFileSync(join(checkout, 'node_modules', '.bin', 'tsc'), ['-p', project], { stdio: 'inherit' });
  const doors = Object.values(entries).map((file) => typesOf(file).replace('./types/', ''));
  moveDeclarations(staging, join(folder, 'types'), doors);
  rmSync(staging, { recursive: true });
  rmSync(project);
}

const typesOf = (file: string) =>
  `./types/${file.replace(/^packages\/([^/]+)\/src\/(.*)\.ts$/, '$1/$2.d.ts')}`;

/**
 * Replaces the package in `folder` by a new build. The build uses a temporary folder, so concurrent runs and readers
 * are not disturbed.
 */
export async function buildSdk(folder: string): Promise<void> {
  mkdirSync(dirname(folder), { recursive: true });
  const staging = mkdtempSync(`${folder}.new-`);
  try {
    chmodSync(staging, 0o755);
    await fillPackage(staging);
    replaceFolder(staging, folder, `${staging}.old`);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function fillPackage(folder: string): Promise<void> {
  const metafile = await bundle(folder);
  declare(folder, metafile);
  const { name, version, license } = readManifest(client);
  const door = (out: string, file: string) => ({ types: typesOf(file), default: `./dist/${out}.js` });
  const manifest = {
    name,
    version,
    description: 'The TypeScript client of the Talos Machine API',
    keywords: ['talos', 'talosctl', 'talosconfig', 'kubernetes', 'grpc', 'client', 'sdk'],
    license,
    author: 'The authors of nodewright',
    type: 'module',
    types: typesOf(entries.index as string),
    engines: { node: `>=${oldestNodeMajor}` },
    sideEffects: false,
    exports: {
      '.': door('index', entries.index as string),
      './configuration': door('configuration', entries.configuration as string),
      './health': door('health', entries.health as string),
      './kinds': door('kinds', entries.kinds as string),
      './talosconfig': door('talosconfig', entries.talosconfig as string),
      './messages/*': { types: './types/contract/gen/*.d.ts', default: './dist/messages/*.js' },
    },
    files: ['dist', 'examples', 'types'],
    dependencies: dependenciesOf(folder, metafile),
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  cpSync(join(client, 'README.md'), join(folder, 'README.md'));
  cpSync(join(client, 'examples'), join(folder, 'examples'), { recursive: true });
  cpSync(join(checkout, 'LICENSE'), join(folder, 'LICENSE'));
}

if (import.meta.main) {
  const folder = resolve(process.argv[2] ?? join(checkout, '_out', 'sdk'));
  await buildSdk(folder);
  const files = globSync('**/*', { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile());
  const bytes = files.reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
  process.stdout.write(
    `made ${relative(checkout, folder)}: ${files.length} files, ${Math.round(bytes / 1024)} kB; publish it with: npm publish ${relative(checkout, folder)}\n`,
  );
}
