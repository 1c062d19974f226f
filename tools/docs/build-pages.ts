import { everyCommand } from '../../cli/talosctl/src/testing/every-command.ts';
import { describeMachined } from '../api-document/describe-machined.ts';
import { apiPages } from './api-pages.ts';
import { commandPages } from './command-pages.ts';
import { compatibilityPage } from './compatibility-page.ts';
import { configurationPages } from './configuration-pages.ts';
import { contractDescriptors } from './contract-descriptors.ts';
import { operationPages } from './operation-pages.ts';
import type { Page } from './page.ts';
import { resourcePages } from './resource-pages.ts';
import { writtenPages } from './written-pages.ts';

/** All pages of the documentation of the checkout `root`. Throws when two have the same name. */
export async function buildPages(root: string): Promise<Page[]> {
  const [written, commands, descriptors, machined, built, operations, configuration] = await Promise.all([
    writtenPages(root),
    commandPages(),
    contractDescriptors(root),
    describeMachined(root),
    everyCommand(),
    operationPages(root),
    configurationPages(),
  ]);
  const pages = [
    ...written,
    ...commands,
    ...configuration,
    ...resourcePages(machined.controllers),
    ...apiPages(descriptors, new Set(built.map(({ path }) => path))),
    ...operations,
    compatibilityPage(),
  ];
  const ids = new Set<string>();
  for (const { id } of pages) {
    if (ids.has(id)) throw new Error(`two pages have the name ${id}`);
    ids.add(id);
  }
  return pages;
}
