import { existsSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Fault } from '@nodewright/fault';
import { kubernetesVariable } from '../domain/daemon-environment.ts';
import { kubernetesPrograms } from '../domain/kubernetes-programs.ts';

/**
 * Finds the folder with the programs of Kubernetes: the one that the environment names, else where `make kubernetes` links
 * them, next to the folder of the bundles. Returns `undefined` when there is none.
 *
 * @throws Fault `failed-precondition` when the named folder lacks one of them
 */
export function findKubernetes(
  distFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const named = environment[kubernetesVariable] ?? '';
  const folder = named === '' ? join(dirname(resolve(distFolder)), 'tools', 'kubernetes') : resolve(named);
  const missing = kubernetesPrograms.filter((name) => !existsSync(join(folder, name)));
  if (missing.length === 0) return realpathSync(folder);
  if (named === '') return undefined;
  throw new Fault(
    'failed-precondition',
    `${kubernetesVariable} is ${folder}, which lacks ${missing.join(', ')}`,
  );
}

/** Like `findKubernetes`, for a cluster that runs Kubernetes. @throws Fault `failed-precondition` when it is not built */
export function requireKubernetes(
  distFolder: string,
  environment: Readonly<Record<string, string | undefined>>,
): string {
  const folder = findKubernetes(distFolder, environment);
  if (folder !== undefined) return folder;
  throw notBuilt();
}

export const notBuilt = () =>
  new Fault(
    'failed-precondition',
    'Kubernetes is not built: run make kubernetes, which takes 15 minutes once',
  );
