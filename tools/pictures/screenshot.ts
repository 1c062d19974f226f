import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium } from 'playwright-core';

const program = '/usr/bin/chromium';
const timeoutMs = 120_000;

export interface Screenshot {
  readonly url: string;
  /** The PNG to write. */
  readonly path: string;
  readonly width: number;
  readonly height: number;
  /** A text that the page shows when it is ready. */
  readonly shows: string;
  /** How long a page that is live goes on before the picture is taken, in milliseconds. */
  readonly settleMs?: number;
  /** Throws for a text that must not be in a picture. */
  readonly check: (text: string) => void;
}

/**
 * Writes what a browser without a screen shows of an address.
 *
 * @throws Error when Chromium is missing, or the page does not become ready
 */
export async function takeScreenshot(init: Screenshot): Promise<void> {
  const { url, path, width, height, shows, settleMs = 0, check } = init;
  if (!existsSync(program)) throw new Error('chromium is missing: apt-get install chromium');
  // Chromium refuses its sandbox to root. It loads only what this program names.
  const chromiumSandbox = process.getuid?.() !== 0;
  await using browser = await chromium.launch({ executablePath: program, chromiumSandbox });
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(timeoutMs);
  await page.goto(url);
  await page.getByText(shows).first().waitFor();
  await sleep(settleMs);
  check(await page.innerText('body'));
  await page.screenshot({ path });
}
