import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { talosHome } from '@nodewright/client/talosconfig';
import type { CliEnvironment } from './command-module.ts';
import { findHomeFolder } from './home-folder.ts';

/** The time of the last warning, in the folder of the client configuration. */
const fileName = 'collector-refused';
const dayMs = 86_400_000;

/**
 * Warns on stderr that the collector of traces refuses connections, at most once in 24 hours: somebody who has stopped it for good would
 * otherwise read the line with every command. Nothing is printed when the time of the warning cannot be kept.
 *
 * @param endpoint without a password
 */
export function warnOfRefusedCollector(
  endpoint: string,
  { environment, now, stderr }: Pick<CliEnvironment, 'environment' | 'now' | 'stderr'>,
): void {
  const home = findHomeFolder(environment);
  if (home === undefined) return;
  const folder = talosHome({ environment, home });
  const path = join(folder, fileName);
  const time = now().getTime();
  const sinceMs = time - lastWarningMs(path);
  if (sinceMs >= 0 && sinceMs < dayMs) return;
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch {
    // It is there, or writing to it fails, too.
  }
  try {
    writeFileSync(path, `${new Date(time).toISOString()}\n`, { mode: 0o600 });
  } catch {
    return;
  }
  stderr.write(
    `warning: the trace of this command is lost: the collector at ${endpoint} refuses connections\n`,
  );
}

/** In ms since 1970; NaN when there was none or the file has no time. */
function lastWarningMs(path: string): number {
  try {
    return Date.parse(readFileSync(path, 'utf8').trim());
  } catch {
    return Number.NaN;
  }
}
