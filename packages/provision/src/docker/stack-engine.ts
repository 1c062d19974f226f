import type { ClusterFolder } from '../cluster/cluster-folder.ts';
import type { ClusterState } from '../domain/cluster-state.ts';
import { type Engine, engineVariables, openEngine, type TryDocker } from '../engine/index.ts';

export interface StackEngineInit {
  readonly environment: NodeJS.ProcessEnv;
  readonly docker?: TryDocker;
}

/**
 * Opens the engine in which a cluster was created. If it is unknown, opens the engine that the environment
 * selects.
 */
export function engineOf(
  folder: ClusterFolder,
  state: ClusterState | undefined,
  { environment, docker }: StackEngineInit,
): Engine {
  const variables = state?.stack?.engine ?? engineVariables(environment);
  return openEngine({ environment, variables, folder: folder.path, ...(docker && { docker }) });
}

/** Returns the first arguments of each compose command for the cluster. */
export function composeWords(folder: ClusterFolder, name: string): string[] {
  return [
    ...['compose', '--ansi', 'never', '--progress', 'quiet'],
    ...['--project-name', name, '--file', folder.composeFile, '--project-directory', folder.path],
  ];
}
