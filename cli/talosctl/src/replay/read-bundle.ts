import { Fault } from '@nodewright/fault';
import { type UnzipFileInfo, unzipSync } from 'fflate';
import { bundleLimits } from './bundle-limits.ts';
import { textOf } from './json-lines.ts';

/** The files of a node by their paths below its folder. */
export type NodeFiles = ReadonlyMap<string, Uint8Array>;

/** A support archive in memory. Nothing of it is ever written to a disk. */
export interface Bundle {
  /** By the names of the folders. */
  readonly nodes: ReadonlyMap<string, NodeFiles>;
  /** `support.json`, which archives of upstream lack. */
  readonly about: Uint8Array | undefined;
}

/** When the archive was collected, as it says; undefined for one of upstream. */
export function collectedIn({ about }: Bundle): string | undefined {
  try {
    const { collected } = JSON.parse(textOf(about ?? new Uint8Array())) as { collected?: unknown };
    return typeof collected === 'string' ? collected : undefined;
  } catch {
    return undefined;
  }
}

const aboutName = 'support.json';

/**
 * Reads an archive of `talosctl support`, or of upstream's.
 *
 * @throws Fault `invalid-argument` for a file that is no such archive, or exceeds a limit
 */
export function readBundle(bytes: Uint8Array): Bundle {
  const check = new EntryCheck();
  let files: Readonly<Record<string, Uint8Array>>;
  try {
    files = unzipSync(bytes, { filter: (info) => check.accepts(info) });
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw refused('is no zip archive, or is damaged', error);
  }
  const nodes = new Map<string, Map<string, Uint8Array>>();
  for (const [name, content] of Object.entries(files)) {
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const node = name.slice(0, slash);
    const known = nodes.get(node) ?? new Map<string, Uint8Array>();
    nodes.set(node, known.set(name.slice(slash + 1), content));
  }
  if (nodes.size === 0) throw refused('has no folder of a node');
  if (nodes.size > bundleLimits.nodes) throw refused(`has more than ${bundleLimits.nodes} nodes`);
  return { nodes, about: files[aboutName] };
}

/** Decides by the directory of the archive, before anything is decompressed. */
class EntryCheck {
  readonly #names = new Set<string>();
  #totalBytes = 0;

  /** @returns whether the entry is a file @throws Fault `invalid-argument` when the whole archive is refused */
  accepts({ name, size, originalSize }: UnzipFileInfo): boolean {
    checkName(name);
    if (this.#names.has(name)) throw refused(`has ${JSON.stringify(name)} twice`);
    this.#names.add(name);
    if (this.#names.size > bundleLimits.entries) throw refused(`has more than ${bundleLimits.entries} files`);
    if (originalSize > bundleLimits.entryBytes) throw refused(`has a file of ${originalSize} bytes`);
    this.#totalBytes += originalSize;
    if (this.#totalBytes > bundleLimits.totalBytes)
      throw refused(`has more than ${bundleLimits.totalBytes} bytes in its files`);
    if (originalSize > bundleLimits.ratioFromBytes && originalSize > size * bundleLimits.ratio)
      throw refused(
        `has a file that is ${Math.floor(originalSize / Math.max(size, 1))} times larger than its compressed form`,
      );
    return !name.endsWith('/');
  }
}

/** Names only select files in memory, but a name that tries to leave its folder shows that the archive is not ours. */
function checkName(name: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
  const isPlain = /^[^\x00-\x1f\x7f\\]+$/.test(name) && !name.startsWith('/');
  if (!isPlain || name.length > bundleLimits.nameBytes || name.split('/').includes('..'))
    throw refused(`has a file with the name ${JSON.stringify(name.slice(0, 80))}`);
}

function refused(what: string, cause?: unknown): Fault {
  return new Fault('invalid-argument', `the archive ${what}`, { cause });
}
