import { isAllowedFolder, isAllowedPlace } from './allowed-places.ts';
import { checkTargetText, entryPath, shown } from './entry-path.ts';
import type { ExtensionEntry } from './extension-entry.ts';
import { extensionLimits, showBytes } from './extension-limits.ts';
import { refused } from './refused.ts';

export const manifestName = 'manifest.yaml';
export const rootName = 'rootfs';

/** An entry that an extension may have. */
export interface CheckedEntry {
  /** Path below the root of the extension; empty for that root. Its parts are folders of the extension. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'symbolic link' | 'hard link';
  readonly isProgram: boolean;
  readonly sizeBytes: number;
  /** Of a symbolic link its text, of a hard link the path of a file that came before it. */
  readonly target: string;
}

const setIdBits = 0o6000;
const othersWrite = 0o002;
const programBits = 0o111;
const whiteoutPrefix = '.wh.';
/** Attributes by which overlayfs hides files of the layers below. */
const hiding = /^(?:trusted|user)\.overlay\./;

interface Place {
  readonly kind: CheckedEntry['kind'];
  readonly sizeBytes: number;
  /** The number of the layer that has the folder; undefined for one that only its contents imply. */
  layer: number | undefined;
}

/**
 * Decides, entry by entry, whether the contents of an extension are allowed: in which places, of which kinds and how much. It
 * sees all layers, so a path that passes has no part that is a link or a file, in whichever order the entries come.
 */
export class ContentCheck {
  readonly #places = new Map<string, Place>();
  #layer = 0;
  #entries = 0;
  #totalBytes = 0;

  /** The following entries are those of the next layer. @throws Fault `invalid-argument` for one too many */
  beginLayer(): void {
    this.#layer += 1;
    if (this.#layer > extensionLimits.layers)
      throw refused(`it has more than ${extensionLimits.layers} layers`);
  }

  /** @throws Fault `invalid-argument` with the reason for which an extension may not have this entry */
  add(entry: ExtensionEntry): CheckedEntry {
    this.#entries += 1;
    if (this.#entries > extensionLimits.entries)
      throw refused(`it has more than ${extensionLimits.entries} files, folders and links`);
    const path = entryPath(entry.name);
    const kind = checkKind(path, entry);
    checkMode(path, kind, entry);
    if (path === '') return { path, kind, isProgram: false, sizeBytes: 0, target: '' };
    checkPlace(path, kind);
    this.#checkParents(path);
    const target = this.#checkTarget(path, kind, entry.target);
    const sizeBytes = kind === 'hard link' ? (this.#places.get(target)?.sizeBytes ?? 0) : entry.sizeBytes;
    this.#addBytes(path, sizeBytes);
    this.#takePlace(path, { kind, sizeBytes, layer: this.#layer });
    return { path, kind, isProgram: (entry.mode & programBits) !== 0, sizeBytes, target };
  }

  /** @throws Fault `invalid-argument` when there is no manifest or no root */
  finish(): void {
    for (const [name, kind] of [[manifestName, 'file'] as const, [rootName, 'folder'] as const])
      if (this.#places.get(name)?.kind !== kind) throw refused(`${name} is missing`);
  }

  #checkParents(path: string): void {
    for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1)) {
      const parent = path.slice(0, at);
      const place = this.#places.get(parent);
      if (place === undefined) this.#places.set(parent, { kind: 'folder', sizeBytes: 0, layer: undefined });
      else if (place.kind !== 'folder')
        throw refused(`${inRoot(path)} is below ${inRoot(parent)}, which is a ${place.kind}`);
    }
  }

  #takePlace(path: string, place: Place): void {
    const known = this.#places.get(path);
    const isSameFolder = known?.kind === 'folder' && place.kind === 'folder' && known.layer !== this.#layer;
    if (known !== undefined && !isSameFolder) throw refused(`${inRoot(path)} is in it twice`);
    this.#places.set(path, place);
  }

  #checkTarget(path: string, kind: CheckedEntry['kind'], text: string): string {
    if (kind !== 'symbolic link' && kind !== 'hard link') return '';
    checkTargetText(inRoot(path).slice(1), text);
    if (kind === 'symbolic link') {
      checkLink(path.slice(rootName.length + 1), text);
      return text;
    }
    const target = entryPath(text);
    if (!target.startsWith(`${rootName}/`) || this.#places.get(target)?.kind !== 'file')
      throw refused(`${inRoot(path)} is a hard link to ${shown(text)}, which is no file before it`);
    return target;
  }

  #addBytes(path: string, sizeBytes: number): void {
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
      throw refused(`${inRoot(path)} has no size that can be read`);
    const limit = path === manifestName ? extensionLimits.manifestBytes : extensionLimits.fileBytes;
    if (sizeBytes > limit) throw refused(`${inRoot(path)} is larger than ${showBytes(limit)}`);
    this.#totalBytes += sizeBytes;
    if (this.#totalBytes > extensionLimits.totalBytes)
      throw refused(`its files are larger than ${showBytes(extensionLimits.totalBytes)} together`);
  }
}

/** A path as it will be on a machine, in messages. */
const inRoot = (path: string) => (path.startsWith(`${rootName}/`) ? path.slice(rootName.length) : `/${path}`);

function checkKind(path: string, { kind }: ExtensionEntry): CheckedEntry['kind'] {
  if (path === '' && kind !== 'folder') throw refused(`its root is a ${kind} and no folder`);
  switch (kind) {
    case 'file':
    case 'folder':
    case 'symbolic link':
    case 'hard link':
      return kind;
    default:
      throw refused(`${inRoot(path)} is ${article(kind)} ${kind}, and neither a file, a folder nor a link`);
  }
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? 'an' : 'a');

function checkMode(path: string, kind: CheckedEntry['kind'], { mode, attributes }: ExtensionEntry): void {
  if ((mode & setIdBits) !== 0) throw refused(`${inRoot(path)} has a set-user-ID or set-group-ID bit`);
  // The mode of a link means nothing.
  if (kind !== 'symbolic link' && (mode & othersWrite) !== 0)
    throw refused(`${inRoot(path)} can be written by everybody (mode ${(mode & 0o7777).toString(8)})`);
  const attribute = attributes.find((name) => hiding.test(name));
  if (attribute !== undefined)
    throw refused(`${inRoot(path)} has the attribute ${shown(attribute)}, which hides files of other layers`);
}

function checkPlace(path: string, kind: CheckedEntry['kind']): void {
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (last.startsWith(whiteoutPrefix))
    throw refused(`${inRoot(path)} is a whiteout, which hides files of other layers`);
  if (path === manifestName) {
    if (kind !== 'file') throw refused(`${manifestName} is a ${kind} and no file`);
    return;
  }
  if (path === rootName) {
    if (kind !== 'folder') throw refused(`${rootName} is a ${kind} and no folder`);
    return;
  }
  if (!path.startsWith(`${rootName}/`))
    throw refused(`${shown(path)} is neither ${manifestName} nor ${rootName}`);
  const place = path.slice(rootName.length + 1);
  if (kind === 'folder' ? !isAllowedFolder(place) : !isAllowedPlace(place))
    throw refused(`${inRoot(path)} is not in a place for extensions`);
}

/** A link with a path from the root stays in the root of the machine. A relative one must not leave it on its way either. */
function checkLink(path: string, target: string): void {
  if (target.startsWith('/')) return;
  let depth = path.split('/').length - 1;
  for (const part of target.split('/')) {
    depth += part === '..' ? -1 : part === '' || part === '.' ? 0 : 1;
    if (depth < 0) throw refused(`/${path} is a link to ${shown(target)}, which is above the root`);
  }
}
