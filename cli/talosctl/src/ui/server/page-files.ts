import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@nodewright/fault';

/** A file of the page, as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Buffer;
}

const names = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/icon.svg': ['icon.svg', 'image/svg+xml'],
} as const;

/**
 * Reads the page into memory, by the path of each request for it. A request never names a file, so no path can leave the folder.
 *
 * @throws Fault `failed-precondition` when the program was built without its page
 */
export async function readPageFiles(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  try {
    return new Map(
      await Promise.all(
        Object.entries(names).map(
          async ([path, [name, type]]) =>
            [path, { type, bytes: await readFile(join(folder, name)) }] as const,
        ),
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
