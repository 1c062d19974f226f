import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from '@nodewright/build/bundles';
import { build } from 'esbuild';

/** Browsers that people run who look after clusters; two years old at most. */
const browsers = ['chrome128', 'firefox130', 'safari18'];

/**
 * Builds a page for browsers: a script, one that it loads later, one style sheet, and the files that need no build.
 *
 * @returns the files of which the scripts and the style sheet are made, below the checkout
 */
export async function buildPage(checkout: string, from: string, to: string): Promise<string[]> {
  const scripts = await build({
    entryPoints: { page: join(from, 'main.tsx') },
    outdir: to,
    bundle: true,
    // What the page imports when it is used, such as the editor, becomes a script of its own.
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    target: browsers,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    minify: true,
    legalComments: 'linked',
    sourcemap: false,
    logLevel: 'warning',
    absWorkingDir: checkout,
    metafile: true,
  });
  const style = await build({
    entryPoints: { page: join(from, 'page.css') },
    outdir: to,
    bundle: true,
    target: browsers,
    minify: true,
    legalComments: 'inline',
    logLevel: 'warning',
    absWorkingDir: checkout,
    metafile: true,
  });
  for (const name of ['index.html', 'icon.svg']) copyFileSync(join(from, name), join(to, name));
  return [...filesOf(scripts.metafile), ...filesOf(style.metafile)];
}
