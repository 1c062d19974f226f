import { basename, dirname, join, normalize } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { anchorOf, type Page, pageGroups } from './page.ts';

/** A file of the site, by its path below the folder of the site. */
export type SiteFiles = ReadonlyMap<string, string>;

/** One entry of the search: a heading with the text below it. */
export interface SearchEntry {
  /** `command-etcd.html#etcd-members`. */
  readonly address: string;
  readonly page: string;
  readonly heading: string;
  readonly text: string;
}

/** The pictures of the checkout, which stand below `pictures/` in the site. */
export const picturesFolder = 'docs/pictures';

/** How much text of a section the search shows and finds. */
const searchTextLength = 400;

/** Renders pages to HTML, with their navigation and the index of the search. */
export function renderSite(pages: readonly Page[], version: string): SiteFiles {
  const bySource = new Map(pages.flatMap(({ id, source }) => (source === undefined ? [] : [[source, id]])));
  const entries: SearchEntry[] = [];
  const files = new Map<string, string>();
  for (const page of pages) {
    const rendered = renderPage(page, bySource);
    entries.push(...rendered.entries);
    files.set(`${page.id}.html`, layout({ page, pages, version, content: rendered.html }));
  }
  // A script in place of JSON: a page that was opened from a file may not fetch other files.
  files.set('search-index.js', `globalThis.searchIndex = ${JSON.stringify(entries)};\n`);
  return files;
}

/** The anchors of a page. Those of headings that repeat get a number, as in `limits-2`. */
class Anchors {
  readonly #counts = new Map<string, number>();

  next(heading: string): string {
    const anchor = anchorOf(heading);
    const count = (this.#counts.get(anchor) ?? 0) + 1;
    this.#counts.set(anchor, count);
    return count === 1 ? anchor : `${anchor}-${count}`;
  }
}

function renderPage(page: Page, bySource: ReadonlyMap<string, string>) {
  const anchors = new Anchors();
  const entries: SearchEntry[] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const inner = this.parser.parseInline(tokens);
        const anchor = anchors.next(plainText(inner));
        entries.push({
          address: `${page.id}.html#${anchor}`,
          page: page.title,
          heading: plainText(inner),
          text: '',
        });
        return `<h${depth} id="${escapeHtml(anchor)}">${inner}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        const target = resolveLink(href, page, bySource);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const path = normalize(join(dirname(page.source ?? 'README.md'), href));
        // The text of any other picture remains.
        if (dirname(path) !== picturesFolder) return escapeHtml(text);
        return `<img src="pictures/${escapeHtml(basename(path))}" alt="${escapeHtml(text)}">`;
      },
      // Whatever may be wider than its page can be scrolled with the keyboard.
      code({ text, lang }: Tokens.Code) {
        const language = lang === undefined ? '' : ` class="language-${escapeHtml(lang)}"`;
        return `<pre tabindex="0"><code${language}>${escapeHtml(text)}\n</code></pre>\n`;
      },
      // Only the texts of this project are rendered; markup in them would be a mistake.
      html({ text }: Tokens.HTML | Tokens.Tag) {
        return text.startsWith('<!--') ? '' : escapeHtml(text);
      },
      table({ header, rows }: Tokens.Table) {
        const cells = (name: string, row: readonly Tokens.TableCell[]) =>
          row.map(({ tokens }) => `<${name}>${this.parser.parseInline(tokens)}</${name}>`).join('');
        const body = rows.map((row) => `<tr>${cells('td', row)}</tr>`).join('\n');
        // Rows of a name and a value need no heading.
        const hasHeading = header.some(({ text }) => text !== '');
        const head = hasHeading ? `<thead><tr>${cells('th', header)}</tr></thead>` : '';
        return `<div class="table" tabindex="0"><table>${head}<tbody>\n${body}\n</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(page.markdown, { async: false });
  return { html, entries: withTexts(entries, html) };
}

/** Adds to each entry the beginning of the text between its heading and the next one. */
function withTexts(entries: readonly SearchEntry[], html: string): SearchEntry[] {
  const sections = html.split(/<h[1-6] id="[^"]*">.*<\/h[1-6]>/).slice(1);
  return entries.map((entry, index) => ({
    ...entry,
    text: plainText(sections[index] ?? '').slice(0, searchTextLength),
  }));
}

/**
 * Where a link leads: to a page, to another site, or nowhere (undefined) for a file of the repository that is no page.
 * The text of such a link remains.
 */
function resolveLink(href: string, page: Page, bySource: ReadonlyMap<string, string>): string | undefined {
  if (/^https?:/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const suffix = anchor === undefined ? '' : `#${anchor}`;
  if (path === '') return suffix;
  if (path.endsWith('.html')) return href;
  const target = bySource.get(normalize(join(dirname(page.source ?? 'README.md'), path)));
  return target === undefined ? undefined : `${target}.html${suffix}`;
}

export function escapeHtml(text: string): string {
  const names: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  };
  return text.replaceAll(/[&<>"']/g, (found) => `&${names[found]};`);
}

/** The text of HTML that this file has made, without its elements. */
function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

interface LayoutInit {
  readonly page: Page;
  readonly pages: readonly Page[];
  readonly version: string;
  readonly content: string;
}

function layout({ page, pages, version, content }: LayoutInit): string {
  const title = page.id === 'index' ? 'nodewright' : `${page.title} · nodewright`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="style.css">
<script src="search-index.js" defer></script>
<script src="search.js" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<nav aria-label="Pages">
<p class="name"><a href="index.html">nodewright</a> <span>${escapeHtml(version)}</span></p>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="Press / to search">
<ol id="results" aria-live="polite" hidden></ol>
${navigation(page, pages)}
</nav>
<main id="content">
${content}
</main>
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
