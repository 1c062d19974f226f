import { build } from 'esbuild';

/** Browsers that people read documentation with; two years old at most. */
const browsers = ['chrome128', 'firefox130', 'safari18'];

/**
 * The search as one script that sets `documentationSearch`. It is no module: a browser loads no module from a file.
 *
 * @param checkout where the sources are
 */
export async function buildSearch(checkout: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: ['tools/docs/search/find-pages.ts'],
    absWorkingDir: checkout,
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'documentationSearch',
    target: browsers,
    minify: true,
    legalComments: 'none',
    logLevel: 'warning',
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error('the build of the search wrote no script');
  return script.text;
}
