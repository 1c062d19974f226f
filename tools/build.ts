// Bundles the programs of the suite. `node tools/build.ts [name ...]`
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Bundle, bundles } from './bundles.ts';

const checkout = join(import.meta.dirname, '..');
const outputRoot = join(checkout, '_out', 'dist');

/** The library looks for its contracts two folders above its own file; in a bundle they lie beside it. */
const reflectionAssets: Plugin = {
  name: 'reflection-assets',
  setup(setup) {
    setup.onLoad(
      { filter: /@grpc\/reflection\/build\/src\/implementations\/reflection-v1(alpha)?\.js$/ },
      ({ path }) => {
        const source = readFileSync(path, 'utf8');
        const contents = source.replaceAll("'../../proto/", "'proto/");
        if (contents === source)
          throw new Error(`${path} no longer loads its contracts the way this build expects`);
        return { contents, loader: 'js' };
      },
    );
  },
};

/**
 * What the client of Docker engines brings for engines on other machines and for building images, which no program of the
 * suite does: half a megabyte, and native parts.
 */
const localEngineOnly: Plugin = {
  name: 'local-engine-only',
  setup(setup) {
    const unused = "module.exports = () => { throw new Error('this build has no part for that'); };";
    setup.onLoad({ filter: /\/(docker-modem\/lib\/ssh|dockerode\/lib\/(session|buildkit))\.js$/ }, () => ({
      contents: unused,
      loader: 'js',
    }));
    setup.onResolve({ filter: /^(tar-fs|@balena\/dockerignore)$/ }, ({ path }) => ({
      path,
      namespace: 'unused',
    }));
    setup.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: unused, loader: 'js' }));
  },
};

/** Imports of these modules are of the files beside the bundle. */
const modulesApart = (apart: NonNullable<Bundle['apart']>): Plugin => ({
  name: 'modules-apart',
  setup(setup) {
    for (const [module, file] of Object.entries(apart)) {
      setup.onResolve({ filter: new RegExp(`^${RegExp.escape(module)}$`) }, () => ({
        path: `./${basename(file)}`,
        external: true,
      }));
    }
  },
});

function commitId(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short=9', 'HEAD'], {
      cwd: checkout,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  } catch {
    // A tarball, or no commit yet.
    return 'unknown';
  }
}

async function buildBundle({ name, entry, assets, apart = {} }: Bundle, sha: string): Promise<void> {
  const folder = join(outputRoot, name);
  const staging = `${folder}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  await build({
    entryPoints: [join(checkout, entry)],
    outfile: join(staging, `${name}.cjs`),
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'linked',
    sourcemap: false,
    define: { BUILD_SHA: JSON.stringify(sha) },
    // Its form for import() asks where its own file is, which a bundle cannot tell.
    alias: { koffi: join(checkout, 'node_modules', 'koffi', 'index.cjs') },
    plugins: [reflectionAssets, localEngineOnly, modulesApart(apart)],
    logLevel: 'warning',
    absWorkingDir: checkout,
  });
  const files = { ...assets };
  for (const file of Object.values(apart)) files[file] = basename(file);
  for (const [from, to] of Object.entries(files)) {
    const target = join(staging, to);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(checkout, from), target);
  }
  // Programs that run keep the file they opened; the next start takes the new one.
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !bundles.some((bundle) => bundle.name === name));
if (unknown.length > 0) {
  process.stderr.write(
    `build: no program is called ${unknown.join(', ')}; there are ${bundles.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
const start = performance.now();
const chosen = bundles.filter(({ name, entry }) =>
  wanted.length === 0 ? existsSync(join(checkout, entry)) : wanted.includes(name),
);
const sha = commitId();
await Promise.all(chosen.map((bundle) => buildBundle(bundle, sha)));
const sizes = chosen.map(
  ({ name }) => `${name} ${Math.round(statSync(join(outputRoot, name, `${name}.cjs`)).size / 1024)} kB`,
);
process.stdout.write(`built ${sizes.join(', ')} in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
