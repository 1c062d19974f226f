import { existsSync, readFileSync } from 'node:fs';

/** What udevd has recorded of a device. */
export interface UdevRecord {
  readonly properties: Readonly<Record<string, string>>;
  /** Below `/dev`, with that path. */
  readonly links: readonly string[];
  readonly tags: readonly string[];
  /** When udevd has processed it first, in µs since the boot; 0 if unknown. */
  readonly initializedUsec: number;
}

/** What names the record of a device: its numbers, its index as a link, or its subsystem and name. */
export interface RecordKey {
  readonly subsystem: string;
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
}

/** The name of the file with the record of a device. Source: systemd, udev database. */
export function recordName({ subsystem, name, properties }: RecordKey): string {
  const [major, minor] = [properties.get('MAJOR'), properties.get('MINOR')];
  if (major !== undefined && minor !== undefined)
    return `${subsystem === 'block' ? 'b' : 'c'}${major}:${minor}`;
  const index = properties.get('IFINDEX');
  return index === undefined ? `+${subsystem}:${name}` : `n${index}`;
}

/** Parses a record. Lines of a kind that it does not know are left out. Source: systemd, udev database. */
export function parseUdevRecord(text: string): UdevRecord {
  const properties: Record<string, string> = Object.create(null);
  const [links, tags]: [string[], string[]] = [[], []];
  let initializedUsec = 0;
  for (const line of text.split('\n')) {
    const value = line.slice(2);
    if (line.startsWith('S:')) links.push(`/dev/${value}`);
    else if (line.startsWith('G:')) tags.push(value);
    else if (line.startsWith('I:')) initializedUsec = /^\d{1,15}$/.test(value) ? Number(value) : 0;
    else if (line.startsWith('E:') && value.indexOf('=') > 0)
      properties[value.slice(0, value.indexOf('='))] = value.slice(value.indexOf('=') + 1);
  }
  return { properties, links: links.sort(), tags: tags.sort(), initializedUsec };
}

/**
 * Reads the record of a device; undefined when udevd does not know it.
 *
 * @param folder such as `/run/udev/data`
 * @throws the error of the file system when a record exists and cannot be read
 */
export function readUdevRecord(folder: string, key: RecordKey): UdevRecord | undefined {
  const name = recordName(key);
  if (!/^[\w.+:!@-]+$/.test(name)) return undefined;
  // Most devices have no record, and an exception takes longer than this question.
  if (!existsSync(`${folder}/${name}`)) return undefined;
  try {
    return parseUdevRecord(readFileSync(`${folder}/${name}`, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
