// Writes the documentation to _out/docs: static pages with a search, made from the commands, the schema of the
// configuration, the kinds of resources, the contracts, and the documents that people have written. The pages load
// nothing from other hosts. `node tools/docs.ts [--out <folder>]`.
import { globSync } from 'node:fs';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildInfo } from '@nodewright/contract';
import { buildPages } from './docs/build-pages.ts';
import { linkProblems } from './docs/check-links.ts';
import { picturesFolder } from './docs/render-page.ts';
import { renderSite } from './docs/render-site.ts';
import { buildSearch } from './docs/search/build-search.ts';

const checkout = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: { out: { type: 'string', default: join(checkout, '_out', 'docs') } },
});

const pages = await buildPages(checkout);
const files = renderSite(pages, buildInfo.tag);
const pictures = globSync('*.{svg,png}', { cwd: join(checkout, picturesFolder) });
const problems = linkProblems(
  files,
  pictures.map((name) => `pictures/${name}`),
);
if (problems.length > 0) {
  process.stderr.write(`docs: links that lead nowhere:\n${problems.map((line) => `  ${line}\n`).join('')}`);
  process.exit(1);
}
await rm(values.out, { recursive: true, force: true });
await mkdir(values.out, { recursive: true });
await Promise.all([...files].map(([name, text]) => writeFile(join(values.out, name), text)));
await writeFile(join(values.out, 'search-engine.js'), await buildSearch(checkout));
await cp(join(import.meta.dirname, 'docs', 'assets'), values.out, { recursive: true });
for (const name of pictures)
  await cp(join(checkout, picturesFolder, name), join(values.out, 'pictures', name));
process.stdout.write(`docs: ${pages.length} pages, open ${join(values.out, 'index.html')}\n`);
