// The sections of a unified kernel image. Source: UAPI group, unified kernel image.
import { Fault } from '@nodewright/fault';

export interface Section {
  /** In the file. */
  readonly offset: number;
  /** Without the padding. */
  readonly bytes: number;
}

/** All headers are in the first page of the file. */
export const headerBytes = 4096;
const mostSections = 40;
const sectionHeaderBytes = 40;

/**
 * The sections by their names, of several with one name the first, which is that of the main profile.
 *
 * @param head the first `headerBytes` of the file, or all of it
 * @throws Fault `data-loss` for a file that is no program for UEFI, or whose headers are not in its first page
 */
export function unifiedKernelSections(head: Buffer): ReadonlyMap<string, Section> {
  const damaged = () => new Fault('data-loss', 'the file is not a unified kernel');
  const signature = head.length >= 0x40 ? head.readUInt32LE(0x3c) : 0;
  const isProgram =
    head.toString('latin1', 0, 2) === 'MZ' &&
    signature + 24 <= head.length &&
    head.toString('latin1', signature, signature + 4) === 'PE\0\0';
  if (!isProgram) throw damaged();
  const count = head.readUInt16LE(signature + 6);
  const table = signature + 24 + head.readUInt16LE(signature + 20);
  if (count > mostSections || table + count * sectionHeaderBytes > head.length) throw damaged();
  const sections = new Map<string, Section>();
  for (let index = 0; index < count; index += 1) {
    const at = table + index * sectionHeaderBytes;
    const [name = ''] = head.toString('latin1', at, at + 8).split('\0', 1);
    // The size in memory is that of the content, the size in the file is rounded up.
    const bytes = Math.min(head.readUInt32LE(at + 8), head.readUInt32LE(at + 16));
    if (!sections.has(name)) sections.set(name, { offset: head.readUInt32LE(at + 20), bytes });
  }
  return sections;
}
