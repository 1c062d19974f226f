import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';

/** Reads a file that the user named. Throws a Fault that names it. */
export async function readInput(cwd: string, path: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `cannot read ${JSON.stringify(path)}: ${fault.message}`, { cause: error });
  }
}

/** Runs `body`; a failure gets `what` in front, so that the user knows which input is wrong. */
export async function naming<T>(what: string, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `${what}: ${fault.message}`, { cause: error });
  }
}
