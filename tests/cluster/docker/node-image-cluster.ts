import { nodeImage } from '@nodewright/build';
import type { NodeView } from '@nodewright/provision';
import { runDocker, tryDocker } from '@nodewright/provision/engine';
import type { ClusterShape, Daemon, Node } from '../cluster.ts';
import { type DockerCluster, type DockerClusterInit, openDockerCluster, pidOf } from './docker-cluster.ts';

/** Creates a cluster whose nodes are one container each. Needs an engine, the images and the node image. */
export function openNodeImageCluster(
  shape: ClusterShape,
  init: Omit<DockerClusterInit, 'nodeOf'> = {},
): Promise<DockerCluster> {
  const flags = ['--node-image', nodeImage, ...(init.flags ?? [])];
  return openDockerCluster(shape, { ...init, flags, nodeOf: wholeNode });
}

function wholeNode({ name, type, address }: NodeView, containerOf: (service: string) => string): Node {
  const container = containerOf(name);
  return {
    ...{ name, type, address },
    instanceOf: async (daemon) => (await pidOf(container)) && pidOfDaemon(container, daemon),
    async signal(daemon, signal) {
      // The first process is the container itself: machined ends the node, and the engine restarts it.
      if (daemon === 'machined') return void (await runDocker(['kill', '--signal', signal, container]));
      const pid = await pidOfDaemon(container, daemon);
      if (pid === undefined) throw new Error(`${daemon} does not run in ${container}`);
      process.kill(pid, signal);
    },
  };
}

/** The pid of a daemon on this host, where the engine runs. */
async function pidOfDaemon(container: string, daemon: Daemon): Promise<number | undefined> {
  const { stdout } = await tryDocker(['top', container, '-eo', 'pid,args']);
  const line = stdout.split('\n').find((text) => text.includes(`/${daemon}/${daemon}.cjs`));
  return line === undefined ? undefined : Number.parseInt(line, 10);
}
