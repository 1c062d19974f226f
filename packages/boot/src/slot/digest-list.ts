// Lists of SHA-256 digests in the format of `sha256sum`, which GRUB also compares with. Source: GNU coreutils, sha256sum.
import { createHash } from 'node:crypto';
import { Fault } from '@nodewright/fault';

/** A list is one page at most: it has a line for each file of a slot. */
export const digestListBytes = 4096;

type Files = Readonly<Record<string, Uint8Array>>;

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** The list of these files, in their order: a line with digest and name for each. */
export const digestList = (files: Files): string =>
  Object.entries(files)
    .map(([name, content]) => `${sha256(content)}  ${name}\n`)
    .join('');

/**
 * The digests of a list by the names of the files.
 *
 * @throws Fault `data-loss` for a list that is longer than `digestListBytes`, that is not whole, or that has a name twice
 */
export function parseDigestList(text: string): ReadonlyMap<string, string> {
  const damaged = (why: string) => new Fault('data-loss', `the list of digests is damaged: ${why}`);
  if (text.length > digestListBytes) throw damaged(`it has more than ${digestListBytes} bytes`);
  const digests = new Map<string, string>();
  const lines = text.split('\n');
  if (lines.pop() !== '') throw damaged('its last line is not whole');
  for (const [index, line] of lines.entries()) {
    const [, digest, name] = /^([0-9a-f]{64}) {2}([A-Za-z0-9][\w.-]*)$/.exec(line) ?? [];
    if (digest === undefined || name === undefined)
      throw damaged(`line ${index + 1} is not a digest and the name of a file`);
    if (digests.has(name)) throw damaged(`${name} is listed twice`);
    digests.set(name, digest);
  }
  return digests;
}

/**
 * Compares the files with a list of their digests. A list may name more files.
 *
 * @throws Fault `data-loss` that names the file that differs or is not listed, or as `parseDigestList()`
 */
export function checkDigests(list: string, files: Files): void {
  const digests = parseDigestList(list);
  for (const [name, content] of Object.entries(files))
    if (digests.get(name) !== sha256(content))
      throw new Fault('data-loss', `${name} differs from its digest in the list`);
}
