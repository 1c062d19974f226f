import { stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { CliEnvironment } from '../command-module.ts';
import { UsageFault } from '../failure.ts';

export interface KubeconfigPlace {
  /** Absolute, or `-` for standard output. */
  readonly path: string;
  readonly exists: boolean;
}

/**
 * The file that a kubeconfig is written to. Without a path it is the file that kubectl uses, or with `--merge=false` one in the
 * working directory. Source: Talos v1.14: kubeconfig.
 *
 * @throws UsageFault when KUBECONFIG names several files
 */
export async function locateKubeconfig(
  { cwd, environment }: Pick<CliEnvironment, 'cwd' | 'environment'>,
  given: string | undefined,
  merges: boolean,
): Promise<KubeconfigPlace> {
  if (given === '-') return { path: given, exists: false };
  const wanted = given ?? (merges ? usualPath(environment) : cwd);
  const path = resolve(cwd, wanted);
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) return { path, exists: found !== undefined };
  const file = join(path, 'kubeconfig');
  return { path: file, exists: (await stat(file).catch(() => undefined)) !== undefined };
}

function usualPath(environment: Readonly<NodeJS.ProcessEnv>): string {
  const named = (environment.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 1)
    throw new UsageFault(`KUBECONFIG names ${named.length} files: say which one to write to`);
  return named[0] ?? join(environment.HOME ?? '/', '.kube', 'config');
}
