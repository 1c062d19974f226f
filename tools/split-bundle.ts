import { join, relative } from 'node:path';
import { filesOf } from '@nodewright/build/bundles';
import { type BuildOptions, build, type OnResolveArgs, type Plugin, type PluginBuild } from 'esbuild';

/** The part with the modules that a start does not need. */
export const laterPart = 'later';

export interface SplitBundleInit {
  /** The part that is loaded at the start; its bundle is `<name>.cjs`. */
  readonly name: string;
  /** The module that runs at the start, below the checkout. */
  readonly entry: string;
  /** Modules of the start that the entry imports by `import()`, below the checkout. */
  readonly startModules: readonly string[];
  readonly checkout: string;
  /** The folder of the bundles. */
  readonly folder: string;
  readonly options: BuildOptions;
}

/**
 * Bundles a program in two parts: the entry, the start modules and what these import without `import()`, and all others. The
 * second part is loaded when the program first imports one of its modules. Each module is in one part alone, because two copies
 * of a class would differ. `rootfs/start/start-daemon.ts` loads the parts.
 *
 * @returns the files of which the parts are made, below the checkout
 */
export async function splitBundle(init: SplitBundleInit): Promise<string[]> {
  const { name, entry, startModules, checkout, folder, options } = init;
  const start = await modulesOf([entry, ...startModules], checkout, options);
  const usedByLater = new Set<string>();
  const bundlePart = async (part: string, contents: string, otherPart: Plugin) => {
    const sourcefile = `${part}.js`;
    const { metafile } = await build({
      ...options,
      stdin: { contents, resolveDir: checkout, sourcefile },
      outfile: join(folder, `${part}.cjs`),
      plugins: [...(options.plugins ?? []), otherPart],
      metafile: true,
    });
    return filesOf(metafile, [sourcefile]);
  };
  const isInLater = (path: string) => !start.modules.has(path);
  const later = await bundlePart(
    laterPart,
    exported(start.imported),
    importFrom(name, checkout, (path) => {
      if (isInLater(path)) return false;
      usedByLater.add(path);
      return true;
    }),
  );
  const first = await bundlePart(
    name,
    `${exported(usedByLater)}require(${JSON.stringify(`./${entry}`)});`,
    importFrom(laterPart, checkout, isInLater),
  );
  return [...first, ...later];
}

/** A module that evaluates others when they are asked for, by their paths below the checkout. */
const exported = (paths: Iterable<string>) => {
  const rows = [...paths]
    .toSorted()
    .map((path) => `${JSON.stringify(path)}:()=>require(${JSON.stringify(`./${path}`)})`);
  return `module.exports={${rows.join(',')}};`;
};

/** What these modules load without an `import()`, and what they import by one; paths below the checkout. */
async function modulesOf(entries: readonly string[], checkout: string, options: BuildOptions) {
  const { metafile } = await build({
    ...options,
    entryPoints: entries.map((path) => join(checkout, path)),
    outdir: 'unused',
    ...{ write: false, metafile: true },
  });
  const modules = new Set<string>();
  const imported = new Set<string>();
  const waiting = [...entries];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (modules.has(path)) continue;
    modules.add(path);
    for (const { path: other, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (external === true) continue;
      if (kind === 'dynamic-import') imported.add(other);
      else waiting.push(other);
    }
  }
  return { modules, imported: imported.difference(modules) };
}

/** Resolves imports of modules that are in another part, by their paths below the checkout, to what that part exports. */
const importFrom = (part: string, checkout: string, isThere: (path: string) => boolean): Plugin => ({
  name: 'import-from-part',
  setup(setup) {
    setup.onResolve({ filter: /^part:/ }, ({ path }) => ({ path, external: true }));
    setup.onResolve({ filter: /./ }, async (args) => {
      const resolved = await resolvedBy(setup, args);
      if (resolved === undefined || resolved.external || resolved.namespace !== 'file') return undefined;
      const path = relative(checkout, resolved.path);
      return isThere(path) ? { path, namespace: 'other-part' } : undefined;
    });
    setup.onLoad({ filter: /./, namespace: 'other-part' }, ({ path }) => ({
      contents: `module.exports=require(${JSON.stringify(`part:${part}`)})[${JSON.stringify(path)}]();`,
      loader: 'js',
    }));
  },
});

const ownResolve = Symbol('a resolve of this plugin');

async function resolvedBy(setup: PluginBuild, args: OnResolveArgs) {
  const { path, importer, namespace, resolveDir, kind, pluginData } = args;
  if (pluginData === ownResolve || kind === 'entry-point') return undefined;
  return setup.resolve(path, { importer, namespace, resolveDir, kind, pluginData: ownResolve });
}
