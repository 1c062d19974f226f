import * as fs from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from './make-folder.ts';

const chmod = promisify(fs.chmod);
const rm = promisify(fs.rm);

/**
 * Makes the folder of a unix socket, with this mode even if it was there, and removes a socket that was left in it. Every
 * user who may enter the folder may connect.
 */
export async function prepareSocket(path: string, folderMode = 0o700): Promise<void> {
  const folder = dirname(path);
  await makeFolder(folder, folderMode);
  await chmod(folder, folderMode);
  await rm(path, { force: true });
}
