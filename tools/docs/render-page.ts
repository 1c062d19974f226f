import { basename, dirname, join, normalize } from 'node:path';
import { Marked, type Tokens } from 'marked';
import { escapeHtml, plainText } from './escape-html.ts';
import { highlight } from './highlight.ts';
import { anchorOf, type Page } from './page.ts';

/** A heading of a page. */
export interface Heading {
  /** 1 to 6. */
  readonly depth: number;
  /** Without `#`, unique in its page. */
  readonly anchor: string;
  readonly heading: string;
  /** The text between this heading and the next one. */
  readonly text: string;
}

export interface RenderedPage {
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** The pictures of the checkout, which stand below `pictures/` in the site. */
export const picturesFolder = 'docs/pictures';

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

/** What links and names in the text of a page lead to. */
export interface LinkTargets {
  /** The names of pages by the files that they are made from. */
  readonly bySource: ReadonlyMap<string, string>;
  /** The addresses of the reference by what is written as code: `talosctl etcd members`, `LinkConfig`. */
  readonly byName: ReadonlyMap<string, string>;
}

/** Renders the text of a page to HTML. */
export function renderPage(page: Page, { bySource, byName }: LinkTargets): RenderedPage {
  // Names in headings and in links are no links of their own.
  let isLinked = false;
  const withoutLinks = (render: () => string) => {
    const before = isLinked;
    isLinked = true;
    const html = render();
    isLinked = before;
    return html;
  };
  const anchors = new Anchors();
  const headings: Omit<Heading, 'text'>[] = [];
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const inner = withoutLinks(() => this.parser.parseInline(tokens));
        const heading = plainText(inner);
        const anchor = anchors.next(heading);
        headings.push({ depth, anchor, heading });
        const link =
          depth === 1
            ? ''
            : ` <a class="anchor" href="#${escapeHtml(anchor)}" aria-label="Link to ${escapeHtml(heading)}">#</a>`;
        return `<h${depth} id="${escapeHtml(anchor)}">${inner}${link}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = withoutLinks(() => this.parser.parseInline(tokens));
        const target = resolveLink(href, page, bySource);
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`;
      },
      codespan({ text }: Tokens.Codespan) {
        const html = `<code>${escapeHtml(text)}</code>`;
        const target = isLinked || page.isReference ? undefined : addressOfName(text, byName);
        return target === undefined || target.startsWith(`${page.id}.html`)
          ? html
          : `<a href="${escapeHtml(target)}">${html}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const path = normalize(join(dirname(page.source ?? 'README.md'), href));
        // The text of any other picture remains.
        if (dirname(path) !== picturesFolder) return escapeHtml(text);
        return `<img src="pictures/${escapeHtml(basename(path))}" alt="${escapeHtml(text)}">`;
      },
      // Whatever may be wider than its page can be scrolled with the keyboard.
      code({ text, lang }: Tokens.Code) {
        const language = lang === undefined || lang === '' ? '' : ` class="language-${escapeHtml(lang)}"`;
        return `<pre tabindex="0"><code${language}>${highlight(lang, text)}\n</code></pre>\n`;
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
        // An empty cell of the first row is no heading.
        const headings = cells('th', header).replaceAll('<th></th>', '<td></td>');
        const head = hasHeading ? `<thead><tr>${headings}</tr></thead>` : '';
        return `<div class="table" tabindex="0"><table>${head}<tbody>\n${body}\n</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(page.markdown, { async: false });
  return { html, headings: withTexts(headings, html) };
}

/** Where a name is documented; of a command with options and arguments, where the command is. */
function addressOfName(text: string, byName: ReadonlyMap<string, string>): string | undefined {
  const words = text.replace(/^bin\//, '').split(' ');
  if (words[0] !== 'talosctl') return byName.get(text);
  // `-n node01` in front of the command.
  if (words[1] === '-n') words.splice(1, 2);
  for (let end = words.length; end > 1; end--) {
    const address = byName.get(words.slice(0, end).join(' '));
    if (address !== undefined) return address;
  }
  return undefined;
}

function withTexts(headings: readonly Omit<Heading, 'text'>[], html: string): Heading[] {
  const sections = html.split(/<h[1-6] id="[^"]*">.*<\/h[1-6]>/).slice(1);
  return headings.map((heading, index) => ({ ...heading, text: plainText(sections[index] ?? '') }));
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
