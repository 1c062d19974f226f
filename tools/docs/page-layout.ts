import { escapeHtml } from './escape-html.ts';
import { type Page, pageGroups } from './page.ts';
import type { Heading, RenderedPage } from './render-page.ts';

export interface LayoutInit {
  readonly page: Page;
  /** All pages, in the order of the navigation inside their groups. */
  readonly pages: readonly Page[];
  readonly version: string;
  readonly rendered: RenderedPage;
}

/** A page with fewer headings needs no list of them. */
const fewestContents = 3;
/** With more headings than this, the list has only those of the second level. */
const mostContents = 120;

/** A whole HTML document: the navigation, the page, its contents, and the pages before and after it. */
export function layoutPage({ page, pages, version, rendered }: LayoutInit): string {
  const title = page.id === 'index' ? 'nodewright' : `${page.title} · nodewright`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="style.css">
<script src="page.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav class="pages" aria-label="Pages">
<p class="name"><a href="index.html">nodewright</a> <span>${escapeHtml(version)}</span></p>
<button id="menu" type="button" aria-expanded="false" aria-controls="groups" hidden>Menu</button>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="Press / to search">
<ol id="results" aria-live="polite" hidden></ol>
<div id="groups">
${navigation(page, pages)}
</div>
</nav>
${contents(rendered.headings)}<main id="content">
${rendered.html}${neighbours(page, pages)}</main>
</body>
</html>
`;
}

/** All groups; only the one of the page is open. */
function navigation(current: Page, pages: readonly Page[]): string {
  return pageGroups
    .map((group) => {
      const links = pages
        .filter((page) => page.group === group)
        .map((page) => {
          const mark = page.id === current.id ? ' aria-current="page"' : '';
          return `<li><a href="${page.id}.html"${mark}>${escapeHtml(page.title)}</a></li>`;
        });
      if (links.length === 0) return '';
      const open = group === current.group ? ' open' : '';
      return `<details${open}><summary>${group}</summary><ul>\n${links.join('\n')}\n</ul></details>`;
    })
    .join('\n');
}

function contents(headings: readonly Heading[]): string {
  const below = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const listed = below.length > mostContents ? below.filter(({ depth }) => depth === 2) : below;
  if (listed.length < fewestContents) return '';
  const items = listed.map(
    ({ depth, anchor, heading }) =>
      `<li class="depth-${depth}"><a href="#${escapeHtml(anchor)}">${escapeHtml(heading)}</a></li>`,
  );
  return `<nav class="contents" aria-label="On this page"><details open><summary>On this page</summary><ul>
${items.join('\n')}
</ul></details></nav>
`;
}

/** Links to the pages before and after this one in its group. */
function neighbours(current: Page, pages: readonly Page[]): string {
  const group = pages.filter((page) => page.group === current.group);
  const index = group.findIndex((page) => page.id === current.id);
  const link = (page: Page | undefined, rel: 'prev' | 'next', says: string) =>
    page === undefined
      ? ''
      : `<a class="${rel}" rel="${rel}" href="${page.id}.html"><span class="direction">${says}</span> ${escapeHtml(page.title)}</a>\n`;
  const both = link(group[index - 1], 'prev', 'Previous') + link(group[index + 1], 'next', 'Next');
  return both === '' ? '' : `<nav class="neighbours" aria-label="Previous and next">\n${both}</nav>\n`;
}
