import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Fault } from '@nodewright/fault';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

/** Other files in the folder are not served, such as the licences of libraries. */
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const first = 'index.html';

/**
 * Reads the page into memory, by the path of each request for it. A request never names a file, so no path can leave the folder.
 *
 * @throws Fault `failed-precondition` when the program was built without its page
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  try {
    const names = (await readdir(folder)).filter((name) => types[extname(name)] !== undefined);
    if (!names.includes(first)) throw new Error(`${first} does not exist`);
    return new Map(
      await Promise.all(
        names.map(async (name) => {
          const file = { type: types[extname(name)] ?? '', bytes: await readFile(join(folder, name)) };
          return [name === first ? '/' : `/${name}`, file] as const;
        }),
      ),
    );
  } catch (error) {
    throw new Fault(
      'failed-precondition',
      `the page is missing next to the program: build it with "make build" (${(error as Error).message})`,
      { cause: error },
    );
  }
}
