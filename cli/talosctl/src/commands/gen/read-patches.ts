import { Fault, faultFrom } from '@nodewright/fault';
import { type ConfigPatch, parsePatch } from '@nodewright/machine-config';
import { naming, readInput } from '../../context/read-input.ts';

/**
 * The path in the value of a patch flag: `@path`, or one word that does not begin like JSON. Otherwise `undefined`.
 *
 * Source: Talos v1.14: machine configuration, patches, loading.
 */
export function patchFileOf(value: string): string | undefined {
  if (value.startsWith('@')) return value.slice(1);
  return /[\n ]/.test(value) || /^[[{]/.test(value) ? undefined : value;
}

/** Reads the patches of one flag in their order. @throws Fault that names the invalid patch */
export async function readPatches(
  cwd: string,
  flag: string,
  values: readonly string[] = [],
): Promise<ConfigPatch[]> {
  const patches: ConfigPatch[] = [];
  for (const [at, value] of values.entries()) {
    const path = patchFileOf(value);
    const text = path === undefined ? value : await readPatchFile(cwd, path, value);
    const source = path === undefined ? `patch ${at + 1} of ${flag}` : `patch ${JSON.stringify(path)}`;
    patches.push(await naming(source, () => parsePatch(text)));
  }
  return patches;
}

/** Reads a file of patches. When a value without `@` names no file, the error explains why it was read as a path. */
async function readPatchFile(cwd: string, path: string, value: string): Promise<string> {
  try {
    return await readInput(cwd, path);
  } catch (error) {
    const { kind, message } = faultFrom(error);
    const isPath = value.startsWith('@') || kind !== 'not-found';
    const hint = isPath ? '' : ' (a patch without a space or a newline is read as a file name)';
    throw new Fault(kind, `${message}${hint}`, { cause: error });
  }
}
