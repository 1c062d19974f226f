import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TemporaryFolder } from '../../context/temporary-folder.ts';

export interface BrowserInit {
  /** The address of the page, with its token. */
  readonly address: string;
  readonly environment: Readonly<NodeJS.ProcessEnv>;
  readonly platform: NodeJS.Platform;
}

/** The program that opens a file in the browser of the user; undefined where no browser can be shown. */
export function browserProgram({ environment, platform }: Omit<BrowserInit, 'address'>): string | undefined {
  const { BROWSER = '', DISPLAY = '', WAYLAND_DISPLAY = '' } = environment;
  if (BROWSER !== '') return BROWSER;
  if (platform === 'darwin') return 'open';
  return DISPLAY !== '' || WAYLAND_DISPLAY !== '' ? 'xdg-open' : undefined;
}

/**
 * Opens the page in a browser. The arguments of a program can be read by every user of the machine, so the browser gets a file
 * that leads to the address, and that only this user can read. Disposing removes it.
 *
 * @returns undefined where no browser can be shown or the program does not start
 */
export async function openBrowser(init: BrowserInit): Promise<AsyncDisposable | undefined> {
  const program = browserProgram(init);
  if (program === undefined) return undefined;
  await using scope = new AsyncDisposableStack();
  const folder = scope.use(await TemporaryFolder.create('talosctl-ui-'));
  const file = join(folder.path, 'open.html');
  await writeFile(file, openingPage(init.address), { mode: 0o600 });
  const child = spawn(program, [pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  child.unref();
  const hasStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  return hasStarted ? scope.move() : undefined;
}

/** @param address consists of characters that need no escape in HTML */
function openingPage(address: string): string {
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${address}"><title>talosctl ui</title>\n`;
}
