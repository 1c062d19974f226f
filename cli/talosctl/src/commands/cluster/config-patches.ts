import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Fault, faultFrom } from '@nodewright/fault';
import type { PatchText } from '@nodewright/provision';
import type { CliEnvironment } from '../../context/command-module.ts';

/** Reads the values of a `--config-patch` flag: each is a patch or `@file`. Source: Talos v1.14: config patches. */
export function readPatches(
  env: CliEnvironment,
  flag: string,
  values: readonly string[] = [],
): Promise<PatchText[]> {
  return Promise.all(
    values.map(async (value, index) => {
      if (!value.startsWith('@')) return { source: `${index + 1} of ${flag}`, text: value };
      const path = resolve(env.cwd, value.slice(1));
      try {
        return { source: path, text: await readFile(path, 'utf8') };
      } catch (error) {
        const fault = faultFrom(error);
        throw new Fault(fault.kind, `config patch ${path} cannot be read: ${fault.message}`, {
          cause: error,
        });
      }
    }),
  );
}
