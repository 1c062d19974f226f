import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Browser, Page } from 'playwright-core';
import { startTalosctl } from '../cluster/run-talosctl.ts';

/** How long a page may take to show something. It is below the time limit of a test, so that a failure says what was not shown. */
export const waitMs = 150_000;

/** `talosctl ui`, as a user starts it. */
export interface Ui extends AsyncDisposable {
  readonly address: string;
  /** A link that opens one page. The program prints one, so a second call fails. */
  readonly link: string;
}

/** Starts the built program for the current context of `home`. */
export async function startUi(home: string, words: readonly string[] = []): Promise<Ui> {
  const child = startTalosctl(['ui', '--no-browser', '-o', 'json', ...words], { home });
  let [shown, errors] = ['', ''];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  for await (const text of child.stdout.setEncoding('utf8')) {
    shown += text;
    if (shown.endsWith('}\n')) break;
  }
  assert.match(shown, /\}\n$/, errors);
  const { address, token } = JSON.parse(shown) as { address: string; token: string };
  return {
    address,
    link: `${address}#token=${token}`,
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGINT');
      await once(child, 'exit');
    },
  };
}

/** A page with what went wrong in it. */
export interface OpenedPage {
  readonly page: Page;
  /** Errors of scripts, and what the console was told about errors and refused requests. */
  readonly errors: readonly string[];
  /** Addresses outside of the program that the page asked for. */
  readonly foreign: readonly string[];
}

export async function openPage(
  browser: Browser,
  link: string,
  scheme: 'light' | 'dark' = 'dark',
): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1360, height: 850 }, colorScheme: scheme });
  page.setDefaultTimeout(waitMs);
  const errors: string[] = [];
  const foreign: string[] = [];
  page.on('pageerror', ({ message }) => errors.push(message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text());
  });
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== new URL(link).origin) foreign.push(request.url());
  });
  await page.goto(link);
  return { page, errors, foreign };
}
