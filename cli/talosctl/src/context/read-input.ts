import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';

/** Reads a file that the user named. @throws Fault that names the file */
export async function readInput(cwd: string, path: string): Promise<string> {
  try {
    return await readFile(resolve(cwd, path), 'utf8');
  } catch (error) {
    throw readFault(JSON.stringify(path), error);
  }
}

/** The fault of an unreadable input, without the error code of the system. @param name the input, in quotes */
export function readFault(name: string, error: unknown): Fault {
  const { kind, message } = faultFrom(error);
  const { code } = error as { readonly code?: unknown };
  const words = /^E[A-Z0-9]+: (.*?)(?:, \w+(?: '.*')?)?$/s.exec(message)?.[1] ?? message;
  const what = code === 'EISDIR' ? 'it is a folder' : words;
  return new Fault(kind, `cannot read ${name}: ${what}`, { cause: error });
}

/** Runs `body` and prefixes a failure with `what`, so that the user knows which input is invalid. */
export async function naming<T>(what: string, body: () => T | Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    const fault = faultFrom(error);
    throw new Fault(fault.kind, `${what}: ${fault.message}`, { cause: error });
  }
}
