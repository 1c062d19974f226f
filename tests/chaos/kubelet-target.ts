// A cluster of containers that are a whole node each, whose kubelets run Kubernetes.
import { kubernetesPorts } from '@nodewright/contract';
import { tryDocker } from '@nodewright/provision/engine';
import { probeHttps } from '../../services/machined/src/kubernetes/host/probe-https.ts';
import type { ClusterShape } from '../cluster/cluster.ts';
import { pidOf } from '../cluster/docker/docker-cluster.ts';
import { openKubeletCluster } from '../kubernetes/kubernetes-cluster.ts';
import type { ChaosTarget } from './chaos-target.ts';
import { containerNames } from './container-names.ts';
import { killIfThere } from './kill-if-there.ts';
import { kubeletVictims } from './plan-faults.ts';
import type { Victim } from './planned-fault.ts';
import { zombiesOf } from './zombies.ts';

const etcdPort = 2379;
const probeTimeoutMs = 3000;

/** The command line of each program, as the engine shows it. */
const programs: Readonly<Partial<Record<Victim, RegExp>>> = {
  apid: /\/apid\/apid\.cjs/,
  trustd: /\/trustd\/trustd\.cjs/,
  registryd: /\/registryd\/registryd\.cjs/,
  etcd: /^\S*\/etcd /,
  kubelet: /^\S*\/kubelet /,
  'kube-apiserver': /^\S*\/kube-apiserver /,
};

export async function openKubeletTarget(shape: ClusterShape): Promise<ChaosTarget> {
  const cluster = await openKubeletCluster(shape);
  const pidsOf = async (node: string, victim: Victim): Promise<number[]> => {
    const program = programs[victim];
    if (program === undefined) return [(await pidOf(cluster.containerOf(node))) ?? []].flat();
    const { stdout } = await tryDocker(['top', cluster.containerOf(node), '-eo', 'pid,args']);
    return stdout.split('\n').flatMap((line) => {
      const [, pid, args = ''] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
      return program.test(args) ? [Number(pid)] : [];
    });
  };
  const namesOfAll = () => containerNames(cluster.name);
  const known = new Set(await namesOfAll());
  return {
    ...{ cluster, view: cluster.view, rootOf: undefined, victims: kubeletVictims, judgesTime: false },
    etcdEndpoints: cluster.controlPlanes.map(({ address }) => `${address}:${etcdPort}`),
    instancesOf: async (node, victim) => (await pidsOf(node, victim)).map(String),
    async kill(node, victim) {
      const found = await pidsOf(node, victim);
      if (found.length > 0 && programs[victim] === undefined)
        return (await tryDocker(['kill', cluster.containerOf(node)])).code === 0;
      for (const pid of found) killIfThere(pid);
      return found.length > 0;
    },
    isWell(node, victim) {
      if (victim !== 'kube-apiserver') return undefined;
      const host = cluster.nodes.find(({ name }) => name === node)?.address ?? '';
      const request = { host, port: kubernetesPorts.apiServer, path: '/readyz' };
      return probeHttps(request, probeTimeoutMs).then(({ healthy }) => healthy);
    },
    async strays() {
      const pids = await Promise.all(cluster.nodes.map(({ name }) => pidOf(cluster.containerOf(name))));
      return [
        ...(await namesOfAll())
          .filter((name) => !known.has(name))
          .map((name) => `container ${name}, which was not there before`),
        ...zombiesOf(new Set(pids.filter((pid) => pid !== undefined))),
      ];
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}
