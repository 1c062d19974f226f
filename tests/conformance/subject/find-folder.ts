import type { FileInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { Skip } from '../check.ts';
import { CallFailure, codes } from '../wire/call-failure.ts';
import { machine } from '../wire/methods.ts';
import type { Subject } from './subject.ts';

/** A folder of the node whose contents do not change, and its entries according to List. */
export interface StillFolder {
  readonly path: string;
  /** Without the folder itself. */
  readonly files: readonly FileInfo[];
  /** Absolute path of a file in it that has content. */
  readonly file: string;
}

/** Folders that exist on most nodes and do not change. No single one of them is required. */
const candidates = ['/etc', '/usr/share', '/usr/local', '/usr/lib', '/lib', '/system', '/usr'];
const fewest = 4;
const most = 3000;
const largestFile = 1n << 20n;

/** The first folder that contains files and a folder with files. Throws a Skip when there is none. */
export async function findFolder({ admin }: Subject): Promise<StillFolder> {
  for (const path of candidates) {
    const files: FileInfo[] = [];
    try {
      for await (const file of admin.stream(machine.list, { root: path, recurse: true })) {
        files.push(file);
        if (files.length > most) break;
      }
    } catch (error) {
      if (error instanceof CallFailure && error.code === codes.unknown) continue;
      throw error;
    }
    const [, ...inside] = files;
    const file = inside.find(
      ({ mode, size, error }) => error === '' && mode >>> 9 === 0 && size > 0n && size <= largestFile,
    );
    const isNested = inside.some(({ relativeName }) => relativeName.includes('/'));
    const isFit =
      inside.length >= fewest && files.length <= most && inside.every(({ error }) => error === '');
    if (isFit && isNested && file !== undefined) return { path, files: inside, file: file.name };
  }
  throw new Skip(`no folder of ${candidates.join(', ')} has files and folders that List can show`);
}
