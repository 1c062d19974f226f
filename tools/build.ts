// Bundles the programs of the suite. `node tools/build.ts [--tag VERSION --out FOLDER] [name ...]`
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Bundle, bundles, compileProgram, filesOf, writeInputs } from '@nodewright/build/bundles';
import { keysFolder, trustedCertificates } from '@nodewright/build/keys';
import { buildCertificatesFile, buildInfo } from '@nodewright/contract';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { startAnsweringNode } from './answering-node.ts';
import { binaryCodecs } from './binary-codecs.ts';
import { buildPage } from './build-page.ts';
import { buildTime } from './build-time.ts';
import { laterPart, splitBundle } from './split-bundle.ts';

const checkout = join(import.meta.dirname, '..');
const {
  values: { tag, out },
  positionals: wanted,
} = parseArgs({
  allowPositionals: true,
  options: { tag: { type: 'string', default: buildInfo.tag }, out: { type: 'string' } },
});
const outputRoot = out ?? join(checkout, '_out', 'dist');
/** The program that starts a bundle with its compiled code. */
const starterEntry = 'rootfs/start/start-daemon.ts';

/** The library looks for its .proto files two folders above its own file; in a bundle they lie next to it. */
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
 * Removes the parts of the Docker client that reach remote engines and build images. No program of the suite
 * uses them; they take half a megabyte and include native code.
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

/**
 * Removes the parts of pino that write to files and to worker threads. Every daemon passes a destination of its
 * own, and the parts load modules of Node.js that no start needs.
 */
const ownDestinations: Plugin = {
  name: 'own-destinations',
  setup(setup) {
    setup.onLoad({ filter: /\/(pino\/lib\/transport|sonic-boom\/index)\.js$/ }, () => ({
      contents:
        "module.exports = function () { throw new Error('this build has no destinations of pino'); };",
      loader: 'js',
    }));
    const unneeded: Readonly<Record<string, readonly [module: string, instead: string]>> = {
      'tools.js': ["require('worker_threads')", '{ isMainThread: true }'],
      // Every logger names its own base fields, so the name of the host is not used.
      'pino.js': ["require('node:os')", "{ hostname: () => '' }"],
    };
    setup.onLoad({ filter: /\/pino\/(pino|lib\/tools)\.js$/ }, ({ path }) => {
      const [module = '', instead = ''] = unneeded[basename(path)] ?? [];
      const source = readFileSync(path, 'utf8');
      if (!source.includes(module))
        throw new Error(`${path} no longer has the ${module} that this build removes`);
      return { contents: source.replace(module, instead), loader: 'js' };
    });
  },
};

/**
 * Removes the part of commander that starts other programs as subcommands. No program of the suite has such subcommands, and
 * the modules of Node.js for it take half as long to load as Node.js itself.
 */
const ownSubcommands: Plugin = {
  name: 'own-subcommands',
  setup(setup) {
    setup.onLoad({ filter: /\/commander\/lib\/command\.js$/ }, ({ path }) => {
      const module = "import childProcess from 'node:child_process';";
      const source = readFileSync(path, 'utf8');
      if (!source.includes(module))
        throw new Error(`${path} no longer has the import that this build removes`);
      return { contents: source.replace(module, 'const childProcess = undefined;'), loader: 'js' };
    });
  },
};

/** Resolves imports of these modules to the separate files next to the bundle. */
const modulesApart = (modules: readonly string[]): Plugin => ({
  name: 'modules-apart',
  setup(setup) {
    for (const module of modules) {
      setup.onResolve({ filter: new RegExp(`^${RegExp.escape(module)}$`) }, ({ kind }) =>
        kind === 'entry-point' ? undefined : { path: `./${fileApart(module)}`, external: true },
      );
    }
  },
});

/** Name of the file next to the bundle that holds this module, such as `reflection.cjs`. */
const fileApart = (module: string) => `${basename(module, extname(module))}.cjs`;

/** Unix seconds, decimal. */
const commitSeconds = () => process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct');

const commitId = () => git('rev-parse', '--short=9', 'HEAD') ?? 'unknown';

function git(...args: readonly string[]): string | undefined {
  try {
    return execFileSync('git', args, { cwd: checkout, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    // The checkout is an unpacked tarball, or has no commit yet.
    return undefined;
  }
}

async function buildBundle(bundle: Bundle, sha: string): Promise<void> {
  const { name, entry, assets, apart = {}, workers = {}, v8Flags, startModules } = bundle;
  const folder = join(outputRoot, name);
  const staging = `${folder}.new`;
  rmSync(staging, { recursive: true, force: true });
  mkdirSync(staging, { recursive: true });
  const modules = Object.keys(apart);
  const options = {
    bundle: true,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: bundle.shortNames === true,
    legalComments: 'linked',
    sourcemap: false,
    define: {
      BUILD_TAG: JSON.stringify(tag),
      BUILD_SHA: JSON.stringify(sha),
      BUILD_TIME: JSON.stringify(buildTime(commitSeconds(), Date.now())),
      // In a bundle, these must name the folder and file of the bundle.
      'import.meta.dirname': '__dirname',
      'import.meta.filename': '__filename',
    },
    // koffi's ES module looks up its own path, which does not exist in a bundle; the CommonJS form does not.
    alias: { koffi: join(checkout, 'node_modules', 'koffi', 'index.cjs') },
    plugins: [
      ...[reflectionAssets, localEngineOnly, ownDestinations, ownSubcommands, modulesApart(modules)],
      ...(bundle.binaryCodecs ? [binaryCodecs] : []),
    ],
    logLevel: 'warning',
    absWorkingDir: checkout,
    metafile: true,
  } satisfies BuildOptions;
  const inputs = Object.keys(assets);
  const parts = [
    ...modules.map((module) => [apart[module] ?? '', fileApart(module)] as const),
    ...Object.entries(workers).map(([file, from]) => [from, file] as const),
  ];
  if (startModules === undefined) parts.unshift([entry, `${name}.cjs`]);
  else inputs.push(...(await splitBundle({ name, entry, startModules, checkout, folder: staging, options })));
  for (const [from, to] of parts) {
    const outfile = join(staging, to);
    const { metafile } = await build({ ...options, entryPoints: [join(checkout, from)], outfile });
    inputs.push(...filesOf(metafile));
  }
  if (v8Flags !== undefined) {
    const starter = join(staging, 'starter.cjs');
    const define = { ...options.define, REPORTS_SLOW_START: String(v8Flags.length > 0) };
    const entryPoints = [join(checkout, starterEntry)];
    const { metafile } = await build({ ...options, define, entryPoints, outfile: starter });
    inputs.push(...filesOf(metafile));
    const runsIn = `/usr/lib/nodewright/${name}`;
    const init = { folder: staging, name, starter, node: [process.execPath], v8Flags, runsIn };
    const later = startModules === undefined ? [] : [laterPart];
    const { compiledStarts, compiledCall, compilesAll } = bundle;
    if (compiledCall === undefined) {
      compileProgram({ ...init, parts: later, starts: compiledStarts, compilesAll });
    } else {
      const calls = join(staging, 'calls');
      mkdirSync(calls, { mode: 0o700 });
      try {
        await using node = await startAnsweringNode(calls);
        const starts = [...(compiledStarts ?? []), [...node.words, ...compiledCall]];
        compileProgram({ ...init, parts: later, starts, compilesAll });
      } catch (error) {
        throw new Error(
          `${name} was not compiled: it calls a node on the loopback interface, which must be up`,
          {
            cause: error,
          },
        );
      } finally {
        rmSync(calls, { recursive: true });
      }
    }
    rmSync(starter);
  }
  for (const [from, to] of Object.entries(assets)) {
    const target = join(staging, to);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(join(checkout, from), target);
  }
  if (bundle.page !== undefined) {
    inputs.push(
      ...(await buildPage(checkout, join(checkout, bundle.page.from), join(staging, bundle.page.name))),
    );
  }
  writeInputs(checkout, name, inputs);
  // A running program keeps the file that it opened; its next start uses the new one.
  rmSync(folder, { recursive: true, force: true });
  renameSync(staging, folder);
}

/** The first build of a checkout makes the key. */
function writeCertificates(): void {
  const path = join(outputRoot, buildCertificatesFile);
  writeFileSync(`${path}.new`, trustedCertificates(keysFolder(checkout)).join(''));
  renameSync(`${path}.new`, path);
}

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
writeCertificates();
const sizes = chosen.map(({ name, v8Flags }) => {
  const file = v8Flags === undefined ? `${name}.cjs` : `${name}.program.cjs`;
  return `${name} ${Math.round(statSync(join(outputRoot, name, file)).size / 1024)} kB`;
});
process.stdout.write(`built ${sizes.join(', ')} in ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
