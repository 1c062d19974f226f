import { runDocker, tryDocker } from '@nodewright/provision/engine';
import type { ClusterShape } from '../cluster/cluster.ts';
import { openDockerCluster } from '../cluster/docker/docker-cluster.ts';
import type { ChaosTarget } from './chaos-target.ts';
import { containerNames } from './container-names.ts';
import type { Victim } from './planned-fault.ts';
import { zombiesOf } from './zombies.ts';

const etcdPort = 2379;

interface Container {
  readonly name: string;
  readonly pid: number;
}

/** A cluster of containers for this run. Its nodes are reached at their addresses on the engine's bridge. */
export async function openDockerTarget(shape: ClusterShape): Promise<ChaosTarget> {
  const cluster = await openDockerCluster(shape);
  const { view } = cluster;
  const containersOf = async (): Promise<Container[]> => {
    const ids = (await runDocker(['ps', '--quiet', '--filter', `name=^${cluster.name}-`])).split('\n');
    const format = '{{.Name}} {{.State.Pid}}';
    const found = ids.filter((id) => id !== '');
    // When a container ends meanwhile, the whole request fails; the next poll repeats it for the others.
    const { stdout } = await tryDocker(['container', 'inspect', '--format', format, ...found]);
    return stdout
      .split('\n')
      .map((line) => line.replace(/^\//, '').split(' '))
      .filter(([name = '', pid]) => name !== '' && Number(pid) > 0)
      .map(([name = '', pid]) => ({ name, pid: Number(pid) }));
  };
  const isOf = (node: string, victim: Victim) => {
    const own = `${cluster.name}-${node}`;
    const names: Readonly<Partial<Record<Victim, RegExp>>> = {
      node: new RegExp(`^${own}(-|$)`),
      machined: new RegExp(`^${own}-\\d+$`),
      apid: new RegExp(`^${own}-apid(-|$)`),
      trustd: new RegExp(`^${own}-trustd(-|$)`),
      registryd: new RegExp(`^${own}-registryd(-|$)`),
      etcd: new RegExp(`^${own}-system-etcd$`),
    };
    return ({ name }: Container) => names[victim]?.test(name) === true;
  };
  const namesOfAll = () => containerNames(cluster.name);
  // Containers that exist at the start of the run, such as exited ones that helped to create the cluster.
  const known = new Set(await namesOfAll());
  return {
    cluster,
    view,
    rootOf: undefined,
    judgesTime: true,
    etcdEndpoints: cluster.controlPlanes.map(({ address }) => `${address}:${etcdPort}`),
    async instancesOf(node, victim) {
      const found = (await containersOf()).filter(isOf(node, victim === 'node' ? 'machined' : victim));
      return found.map(({ pid }) => String(pid));
    },
    async kill(node, victim) {
      const found = (await containersOf()).filter(isOf(node, victim));
      if (found.length > 0) await tryDocker(['kill', ...found.map(({ name }) => name)]);
      return found.length > 0;
    },
    async strays() {
      const names = await namesOfAll();
      const running = await containersOf();
      return [
        ...names
          .filter((name) => !known.has(name))
          .map((name) => `container ${name}, which was not there before`),
        ...zombiesOf(new Set(running.map(({ pid }) => pid))),
      ];
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
