import type { SiteFiles } from './render-site.ts';

/**
 * The links of a site that lead to a page, a picture or an anchor that does not exist, as `page: link`. Links to other sites are
 * not followed.
 *
 * @param pictures their paths in the site
 */
export function linkProblems(files: SiteFiles, pictures: readonly string[] = []): string[] {
  const anchors = new Map<string, ReadonlySet<string>>([
    ...pictures.map((path) => [path, new Set<string>()] as const),
    ...[...files].map(([name, html]) => [name, anchorsOf(html)] as const),
  ]);
  return [...files].flatMap(([name, html]) =>
    name.endsWith('.html')
      ? linksOf(html)
          .filter((link) => !isGood(link, name, anchors))
          .map((link) => `${name}: ${link}`)
      : [],
  );
}

const assets: ReadonlySet<string> = new Set(['style.css', 'page.js', 'search.js']);

function isGood(link: string, from: string, anchors: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (/^https?:/.test(link) || assets.has(link)) return true;
  const [path = '', anchor] = link.split('#');
  const known = anchors.get(path === '' ? from : path);
  return (
    known !== undefined && (anchor === undefined || anchor === '' || known.has(decodeURIComponent(anchor)))
  );
}

function anchorsOf(html: string): ReadonlySet<string> {
  return new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, anchor = '']) => anchor));
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
}
