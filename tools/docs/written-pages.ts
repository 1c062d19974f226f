import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page, PageGroup } from './page.ts';

interface WrittenPage {
  readonly source: string;
  readonly title: string;
  readonly group: PageGroup;
  readonly id?: string;
  readonly searchWeight?: number;
}

/** The documents of the checkout that are pages; those of the folders below `writtenPages()` are added by their headings. */
const written: readonly WrittenPage[] = [
  { source: 'docs/index.md', title: 'Documentation', group: 'Start', searchWeight: 0.4 },
  { source: 'docs/getting-started.md', title: 'Getting started', group: 'Start' },
  { source: 'README.md', title: 'Overview', group: 'Start', id: 'overview' },
  { source: 'docs/troubleshooting.md', title: 'Troubleshooting', group: 'Operation' },
  { source: 'SPEC.md', title: 'Promises', group: 'Operation' },
  { source: 'docs/limits.md', title: 'Limits', group: 'Operation' },
  { source: 'docs/other-limits.md', title: 'Other limits', group: 'Operation' },
  { source: 'docs/judges.md', title: 'Judged by others', group: 'Operation' },
  { source: 'SECURITY.md', title: 'Security', group: 'Operation' },
  { source: 'docs/api.md', title: 'All methods, and compatibility', group: 'API', id: 'api' },
  { source: 'packages/client/README.md', title: 'The TypeScript client', group: 'API', id: 'client' },
  { source: 'docs/image.md', title: 'What is in the image', group: 'Operation' },
  { source: 'rootfs/README.md', title: 'Build and boot the image', group: 'Operation', id: 'rootfs' },
  { source: 'CHANGELOG.md', title: 'Changes', group: 'Start', searchWeight: 0.3 },
  { source: 'docs/glossary.md', title: 'Glossary', group: 'Start' },
  { source: 'ARCHITECTURE.md', title: 'Architecture', group: 'Internals' },
  { source: 'docs/rooms.md', title: 'Where new code belongs', group: 'Internals' },
  { source: 'services/README.md', title: 'Daemons', group: 'Internals', id: 'daemons' },
  { source: 'packages/README.md', title: 'Packages', group: 'Internals', id: 'packages' },
  { source: 'tools/README.md', title: 'Tools', group: 'Internals', id: 'tools' },
  { source: 'docs/controllers.md', title: 'Controllers', group: 'Internals' },
  { source: 'CONTRIBUTING.md', title: 'Contributing', group: 'Internals' },
  { source: 'docs/sources.md', title: 'Sources', group: 'Internals' },
];

/** The pages that people have written. Throws when one has no heading in its first line. */
export async function writtenPages(root: string): Promise<Page[]> {
  const folders: readonly [string, PageGroup][] = [
    ['docs/concepts', 'Concepts'],
    ['docs/tutorials', 'Tutorials'],
    ['docs/how-to', 'How-tos'],
    ['docs/decisions', 'Internals'],
    ['docs/measurements', 'Internals'],
  ];
  const found = folders.flatMap(([folder, group]) =>
    globSync(`${folder}/*.md`, { cwd: root })
      .sort()
      .map((source) => ({ source, group })),
  );
  const fixed = await Promise.all(
    written.map(async (page) => ({ ...page, markdown: await read(root, page.source) })),
  );
  const listed = await Promise.all(
    found.map(async ({ source, group }) => {
      const markdown = await read(root, source);
      return { source, group, title: headingOf(markdown, source), markdown, id: idOf(source) };
    }),
  );
  return [...fixed, ...listed].map(({ id, ...page }) => ({ ...page, id: id ?? idOf(page.source) }));
}

const read = (root: string, source: string) => readFile(join(root, source), 'utf8');

/** `docs/tutorials/01-first-cluster.md` becomes `tutorials-first-cluster`. */
function idOf(source: string): string {
  const [folder = '', inner] = source.split('/');
  const name = basename(source, '.md').replace(/^\d+-/, '').toLowerCase();
  return folder === 'docs' && inner !== undefined && !inner.endsWith('.md') ? `${inner}-${name}` : name;
}

function headingOf(markdown: string, source: string): string {
  const heading = /^# (.+)$/m.exec(markdown)?.[1];
  if (heading === undefined) throw new Error(`${source} has no heading`);
  return heading.replaceAll('`', '');
}
