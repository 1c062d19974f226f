/** An event of a device. */
export interface Uevent {
  /** `add`, `remove`, `change` and so on. */
  readonly action: string;
  /** Path below `/sys`. */
  readonly devicePath: string;
  readonly subsystem: string;
  readonly facts: ReadonlyMap<string, string>;
}

/**
 * Parses a message of the kernel; undefined for messages in another format. Source: Linux, kobject uevents.
 */
export function parseUevent(message: Uint8Array): Uevent | undefined {
  const [head = '', ...lines] = Buffer.from(message).toString('utf8').split('\0');
  const facts = new Map(
    lines
      .filter((line) => line.includes('='))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const [action, devicePath, subsystem] = [facts.get('ACTION'), facts.get('DEVPATH'), facts.get('SUBSYSTEM')];
  if (action === undefined || devicePath === undefined || subsystem === undefined) return undefined;
  return head === `${action}@${devicePath}` ? { action, devicePath, subsystem, facts } : undefined;
}
