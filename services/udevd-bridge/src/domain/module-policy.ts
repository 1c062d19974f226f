import { Fault } from '@nodewright/fault';

/**
 * Folders of the kernel's modules that clients may load from: drivers of disks, links and buses, and what links and disks are
 * made of. Not among them are file systems, cryptography for user space, sound, graphics and staging drivers: nothing that a
 * device announces needs them here, and they are where most errors of the kernel are.
 */
const folders: readonly string[] = [
  ...[
    'ata',
    'block',
    'bus',
    'char/hw_random',
    'char/ipmi',
    'char/tpm',
    'dax',
    'firmware',
    'hid',
    'hv',
    'hwmon',
    'i2c',
    'infiniband',
  ],
  ...[
    'input',
    'md',
    'message',
    'misc',
    'mmc',
    'net',
    'nvdimm',
    'nvme',
    'pci',
    'phy',
    'ptp',
    'scsi',
    'spi',
    'target',
    'thunderbolt',
  ],
  ...['thermal', 'tty', 'usb', 'vfio', 'vhost', 'virt', 'virtio', 'watchdog', 'xen'],
].map((name) => `kernel/drivers/${name}/`);
const networkFolders = ['kernel/net/'];

/** Protocols below `kernel/net` that are rarely used and often attacked. */
const deniedFolders = [
  'appletalk',
  'atm',
  'ax25',
  'can',
  'dccp',
  'decnet',
  'ieee802154',
  'mac802154',
  'netrom',
  'nfc',
]
  .concat(['phonet', 'rds', 'rose', 'rxrpc', 'sctp', 'smc', 'tipc', 'x25'])
  .map((name) => `kernel/net/${name}/`);

/** Whether clients may have a module loaded, by its path below the folder of the kernel's modules. */
export function isAllowedModule(path: string): boolean {
  const isIn = (folder: string) => path.startsWith(folder);
  if (path.split('/').includes('..') || deniedFolders.some(isIn)) return false;
  return [...folders, ...networkFolders].some(isIn);
}

export interface KernelModules {
  /** The path of each module of the image, by its name as the kernel spells it. */
  readonly files: ReadonlyMap<string, { readonly path: string }>;
  /** The modules that are part of the kernel. */
  readonly builtin: ReadonlySet<string>;
  /** Pairs of a pattern, as of `modules.alias`, and the name of a module; undefined when the image has no such list. */
  readonly aliases: readonly (readonly [pattern: string, name: string])[] | undefined;
}

export type WantedModule = { readonly name: string } | { readonly modalias: string };

/**
 * The modules to load for a request, by name; those that are part of the kernel are left out of `toLoad`.
 *
 * @throws Fault `not-found`, `permission-denied`, `failed-precondition` without a list of aliases, `resource-exhausted` when
 * the alias names too many modules
 */
export function planModules(
  wanted: WantedModule,
  { files, builtin, aliases }: KernelModules,
  maxModules: number,
): { readonly names: readonly string[]; readonly toLoad: readonly string[] } {
  const names = 'name' in wanted ? [spelled(wanted.name)] : namesOf(wanted.modalias, aliases);
  if (names.length > maxModules)
    throw new Fault(
      'resource-exhausted',
      `the modalias names ${names.length} modules, more than ${maxModules}`,
    );
  const known = names.filter((name) => builtin.has(name) || files.has(name));
  if (known.length === 0) {
    const what =
      'name' in wanted
        ? `module ${JSON.stringify(wanted.name)}`
        : `module for ${JSON.stringify(wanted.modalias)}`;
    throw new Fault('not-found', `the image has no ${what}`);
  }
  for (const name of known) {
    const path = files.get(name)?.path;
    if (!builtin.has(name) && path !== undefined && !isAllowedModule(path))
      throw new Fault('permission-denied', `module "${name}" is not one that may be loaded (${path})`);
  }
  return { names: known, toLoad: known.filter((name) => !builtin.has(name)) };
}

function namesOf(modalias: string, aliases: KernelModules['aliases']): string[] {
  if (aliases === undefined)
    throw new Fault('failed-precondition', 'the image has no modules.alias: name the module instead');
  const found = aliases
    .filter(([pattern]) => matchesAlias(pattern, modalias))
    .map(([, name]) => spelled(name));
  return [...new Set(found)];
}

/** The kernel's names have no dashes. */
const spelled = (name: string) => name.replaceAll('-', '_');

/**
 * Whether a modalias matches a pattern of `modules.alias`, which may contain `*`, `?` and sets such as `[0-9a]`, as of
 * fnmatch(3). It takes time in proportion to the product of both lengths at most, whatever they contain.
 */
export function matchesAlias(pattern: string, text: string): boolean {
  let [at, textAt] = [0, 0];
  let star: { readonly at: number; textAt: number } | undefined;
  while (textAt < text.length) {
    const step = matchOne(pattern, at, text[textAt] as string);
    if (pattern[at] === '*') {
      star = { at, textAt };
      at += 1;
    } else if (step !== undefined) {
      at = step;
      textAt += 1;
    } else if (star !== undefined) {
      star = { at: star.at, textAt: star.textAt + 1 };
      at = star.at + 1;
      textAt = star.textAt;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

/** The place in the pattern behind the item that matches the character; undefined when it does not match. */
function matchOne(pattern: string, at: number, character: string): number | undefined {
  const item = pattern[at];
  if (item === '?') return at + 1;
  if (item !== '[') return item === character && item !== '*' ? at + 1 : undefined;
  const end = pattern.indexOf(']', at + 2);
  if (end < 0) return character === '[' ? at + 1 : undefined;
  const set = pattern.slice(at + 1, end);
  let isIn = false;
  for (let index = 0; index < set.length; index += 1) {
    const from = set[index] as string;
    const to = set[index + 1] === '-' ? set[index + 2] : undefined;
    if (to === undefined) isIn ||= from === character;
    else {
      isIn ||= from <= character && character <= to;
      index += 2;
    }
  }
  return isIn ? end + 1 : undefined;
}
