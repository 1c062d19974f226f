import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import { maximumServices, type ServiceFile, serviceFileBytes } from '../domain/service-files.ts';

/** The files of extension services in a folder, by name; none when there is no folder. */
export async function readServiceFiles(folder: string): Promise<ServiceFile[]> {
  const found = await readdir(folder).catch(() => []);
  const names = found.filter((name) => name.endsWith('.yaml')).sort();
  const files = await Promise.all(
    names
      .slice(0, maximumServices)
      .map(async (name) => ({ name, text: await readLimited(join(folder, name)) })),
  );
  const left = names.length - files.length;
  if (left > 0)
    files.push({
      name: names[maximumServices] ?? '',
      text: new Fault(
        'invalid-argument',
        `a node has at most ${maximumServices} extension services, ${left} more are left out`,
      ),
    });
  return files;
}

async function readLimited(path: string): Promise<string | Error> {
  try {
    return await readText(path, serviceFileBytes);
  } catch (error) {
    return faultFrom(error);
  }
}

/** @throws Fault `invalid-argument` for a file that is larger or not UTF-8, and those of the file system */
export async function readText(path: string, limitBytes: number): Promise<string> {
  await using file = await open(path, 'r');
  const buffer = Buffer.alloc(limitBytes + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length);
    length += bytesRead;
    if (bytesRead === 0 || length === buffer.length) break;
  }
  if (length > limitBytes) throw new Fault('invalid-argument', `${path} is larger than ${limitBytes} bytes`);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(buffer.subarray(0, length));
  } catch {
    throw new Fault('invalid-argument', `${path} is not UTF-8`);
  }
}
