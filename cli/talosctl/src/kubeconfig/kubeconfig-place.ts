import { stat } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import type { CliEnvironment } from '../context/command-module.ts';
import { UsageFault } from '../context/failure.ts';
import { homeFolder } from '../context/home-folder.ts';

/**
 * The absolute path of the file that a kubeconfig is written to, or `-` for standard output. Without a path it is the file that kubectl uses, or with `--merge=false` one in the
 * working directory. Source: Talos v1.14: kubeconfig.
 *
 * @throws UsageFault when KUBECONFIG names several files; Fault when the user has no home folder
 */
export async function locateKubeconfig(
  { cwd, environment }: Pick<CliEnvironment, 'cwd' | 'environment'>,
  given: string | undefined,
  merges: boolean,
): Promise<string> {
  if (given === '-') return given;
  const wanted = given ?? (merges ? usualPath(environment) : cwd);
  const path = resolve(cwd, wanted);
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ? join(path, 'kubeconfig') : path;
}

function usualPath(environment: Readonly<NodeJS.ProcessEnv>): string {
  const named = (environment.KUBECONFIG ?? '').split(delimiter).filter((path) => path !== '');
  if (named.length > 1)
    throw new UsageFault(`KUBECONFIG names ${named.length} files: say which one to write to`);
  return named[0] ?? join(homeFolder(environment), '.kube', 'config');
}
