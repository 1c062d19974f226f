import { runDocker } from '@nodewright/provision/engine';

/** The names of all containers of a cluster, also of those that have exited. */
export async function containerNames(cluster: string): Promise<string[]> {
  const names = await runDocker(['ps', '--all', '--filter', `name=^${cluster}-`, '--format', '{{.Names}}']);
  return names.split('\n').filter((name) => name !== '');
}
