// A real browser without a screen: Debian's Chromium, driven by playwright-core.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';

const programs = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];
const program = programs.find((path) => path !== undefined && existsSync(path));

/** Why tests in a browser cannot run here; false when they can. */
export const noBrowser: string | false =
  program === undefined &&
  'there is no Chromium: install the Debian package chromium, or name one in CHROMIUM';

/** A busy machine takes longer than the half minute that is the default. */
const launchMs = 150_000;

/** The sandbox needs an ordinary user. */
export function openChromium(): Promise<Browser> {
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: program as string, args, timeout: launchMs });
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Further rows are like the first ones, and each takes time. */
const repeated = ['tbody tr', '.log-line', '.tracks li', '.kinds li', '.checks li', '.diff span'].map(
  (row) => [`${row}:nth-child(n+6)`],
);

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * All faults that axe finds in the page, the contrast of colours included, one line each.
 *
 * @param rules the only rules to check
 */
export async function accessibilityFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  await page.evaluate(axeSource);
  const violations = await page.evaluate<Violation[]>(
    `axe.run({ exclude: ${JSON.stringify(repeated)} }, ${JSON.stringify(options)}).then((found) => found.violations)`,
  );
  return violations.map(
    ({ id, impact, nodes }) =>
      `${id} (${impact}): ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`,
  );
}
