import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const timeoutMs = 120_000;

/**
 * Writes what a browser without a screen shows of an address as PNG.
 *
 * @throws Error with one line when Chromium is missing or fails
 */
export async function takeScreenshot(
  url: string,
  path: string,
  { width, height }: { readonly width: number; readonly height: number },
): Promise<void> {
  const profile = mkdtempSync(join(tmpdir(), 'pictures-chromium-'));
  const isRoot = process.getuid?.() === 0;
  try {
    await promisify(execFile)(
      'chromium',
      [
        ...['--headless=new', '--disable-gpu', '--hide-scrollbars', '--force-color-profile=srgb'],
        // Chromium refuses its sandbox to root. It loads only what this program names.
        ...(isRoot ? ['--no-sandbox'] : []),
        ...[`--user-data-dir=${profile}`, `--window-size=${width},${height}`, `--screenshot=${path}`, url],
      ],
      { timeout: timeoutMs },
    );
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = isMissing
      ? 'chromium is missing: apt-get install chromium'
      : `chromium failed: ${String(error)}`;
    throw new Error(why.split('\n')[0]);
  } finally {
    rmSync(profile, { recursive: true, force: true });
  }
}
