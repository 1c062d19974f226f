/** Base64 of 32 bytes. */
const fingerprint = /^[A-Za-z0-9+/]{43}=$/;
const consolePrefix = '[nodewright] fingerprint: ';
const inform = 'runtime.MaintenanceServiceInformController';

/**
 * The fingerprint of the node's key in a line of its own output: machined logs it when the node waits for its configuration, and shows it
 * on the console of a machine. `undefined` for any other line, also one that quotes such a line: strangers choose parts of what is logged.
 */
export function shownFingerprint(line: string): string | undefined {
  if (line.startsWith(consolePrefix)) return asFingerprint(line.slice(consolePrefix.length).trimEnd());
  if (!line.startsWith('{') || !line.includes(inform)) return undefined;
  try {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null) return undefined;
    const { controller, fingerprint: logged } = entry as Record<string, unknown>;
    return controller === inform ? asFingerprint(logged) : undefined;
  } catch {
    return undefined;
  }
}

const asFingerprint = (value: unknown): string | undefined =>
  typeof value === 'string' && fingerprint.test(value) ? value : undefined;
