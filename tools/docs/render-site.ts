import { anchorOf, type Page, type PageGroup } from './page.ts';
import { layoutPage } from './page-layout.ts';
import { type RenderedPage, renderPage } from './render-page.ts';
import type { SearchPage } from './search/find-pages.ts';

/** A file of the site, by its path below the folder of the site. */
export type SiteFiles = ReadonlyMap<string, string>;

/** How much a match counts: what people read to do something comes before what is generated from the code. */
const searchWeights: Readonly<Record<PageGroup, number>> = {
  Start: 1,
  Concepts: 1.05,
  Tutorials: 1.05,
  'How-tos': 1.25,
  Operation: 1,
  Commands: 0.7,
  Configuration: 0.6,
  Resources: 0.45,
  API: 0.45,
  Internals: 0.4,
};

/** Of a section of a guide and of a generated page, how many characters the search reads. */
const searchTextLength = { guide: 4000, generated: 500 } as const;

/** Renders pages to HTML, with their navigation, the index of the search, and the list of pages for programs. */
export function renderSite(pages: readonly Page[], version: string): SiteFiles {
  const bySource = new Map(
    pages.flatMap(({ id, source = '', madeBy = '' }) =>
      [source, madeBy].filter((path) => path !== '').map((path) => [path, id] as const),
    ),
  );
  const targets = { bySource, byName: namesOfReference(pages) };
  const rendered = pages.map((page) => ({ page, rendered: renderPage(withKind(page), targets) }));
  const files = new Map(
    rendered.map(({ page, rendered }) => [`${page.id}.html`, layoutPage({ page, pages, version, rendered })]),
  );
  const index = rendered.map(({ page, rendered }) => searchPage(page, rendered));
  // A script in place of JSON: a page that was opened from a file may not fetch other files.
  files.set('search-index.js', `globalThis.searchIndex = ${JSON.stringify(index)};\n`);
  files.set('llms.txt', listForPrograms(rendered));
  return files;
}

const referenceGroups: ReadonlySet<PageGroup> = new Set(['Commands', 'Configuration', 'Resources', 'API']);

const withKind = (page: Page): Page => ({
  ...page,
  isReference: page.source === undefined && referenceGroups.has(page.group),
});

/** Where commands, documents and kinds of resources are documented, by their names. */
function namesOfReference(pages: readonly Page[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const { id, group, title, markdown } of pages) {
    if (group === 'Configuration' && /Config$/.test(title)) names.set(title, `${id}.html`);
    if (group !== 'Commands' && group !== 'Resources') continue;
    for (const [, heading = ''] of markdown.matchAll(/^#{1,2} (\S.*)$/gm)) {
      const isName = group === 'Commands' ? heading.startsWith('talosctl ') : /^[A-Z]\w+$/.test(heading);
      if (!isName || names.has(heading)) continue;
      const address = `${id}.html#${anchorOf(heading)}`;
      names.set(heading, address);
      // A resource is one of its kind: `Member` of `Members`.
      if (group === 'Resources') names.set(heading.replace(/(?<=s)es$|s$/, ''), address);
    }
  }
  return names;
}

/** A page as the search reads it. */
export function searchPage(page: Page, { headings }: RenderedPage): SearchPage {
  const length = searchTextLength[page.source === undefined ? 'generated' : 'guide'];
  return {
    address: `${page.id}.html`,
    title: page.title,
    group: page.group,
    weight: searchWeights[page.group] * (page.searchWeight ?? 1),
    sections: headings.map(({ anchor, heading, text }) => ({ anchor, heading, text: text.slice(0, length) })),
  };
}

/** The list of pages with what each begins with, for programs that read documentation, in the form of llmstxt.org. */
function listForPrograms(rendered: readonly { page: Page; rendered: RenderedPage }[]): string {
  const groups = Map.groupBy(rendered, ({ page }) => page.group);
  const sections = [...groups].map(([group, pages]) =>
    [`## ${group}`, '', ...pages.map(({ page, rendered }) => programLine(page, rendered)), ''].join('\n'),
  );
  return [
    '# nodewright',
    '',
    '> A node operating system for Kubernetes that is run entirely through a gRPC API, compatible on the wire with Talos v1.14.',
    '',
    ...sections,
  ].join('\n');
}

function programLine({ id, title }: Page, { headings }: RenderedPage): string {
  const [sentence = ''] = /^.{0,240}?[.:](?=\s|$)/.exec(headings[0]?.text ?? '') ?? [];
  return `- [${title}](${id}.html)${sentence === '' ? '' : `: ${sentence.replace(/:$/, '.')}`}`;
}
