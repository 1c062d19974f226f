import { dirname, join } from 'node:path';
import type { ContainerRuntime, ContainerSpec, RuntimeNamespace } from '@nodewright/containers';
import { Fault } from '@nodewright/fault';
import type { FileOwner } from '@nodewright/files';
import type { ServiceLog } from '@nodewright/services/logs';
import { createContainerRunner } from '../../containers/host/container-runner.ts';
import { runContainer } from '../../containers/host/run-container.ts';
import type { EtcdRuntime } from '../domain/etcd-runtime.ts';
import { type EtcdVersion, etcdVersionFrom } from '../domain/etcd-version.ts';
import { restoreArguments } from '../domain/restore-arguments.ts';
import { restoreData } from './restore-data.ts';

export interface ContainerEtcdInit {
  readonly runtime: ContainerRuntime;
  /** Returns the image name; called at each start. */
  readonly image: () => Promise<string>;
  /** Paths on the node, which are mounted at the same paths in the container. */
  readonly folders: { readonly data: string; readonly secrets: string; readonly snapshot: string };
  /** The user that runs etcd and owns its data and secrets. */
  readonly user: FileOwner;
  /** The user that restores a snapshot, which only machined may read; what it writes is given to `user`. */
  readonly restoringUser: FileOwner;
  /** Creates the cgroup of etcd with its limits; called before each start. */
  readonly prepareCgroup: (path: string) => Promise<unknown>;
  readonly log: ServiceLog;
}

const id = 'etcd';
/** Of containers and processes of etcd alike. Source: Talos v1.14: cgroups. */
export const etcdCgroup = 'podruntime/etcd';
const programs = '/usr/local/bin';
/** Source: Talos v1.14: runners. */
const graceTimeoutMs = 10_000;
/** Includes the time to pull the image. */
const versionTimeoutMs = 20 * 60_000;

/** Runs etcd as a container on the network of the node. Source: Talos v1.14: etcd service. */
export function createContainerEtcd(init: ContainerEtcdInit): EtcdRuntime {
  const { runtime, image, folders, user, restoringUser, log } = init;
  const namespace: RuntimeNamespace = runtime.namespace('system');
  const { data, secrets, snapshot } = folders;
  const own = async (): Promise<Pick<ContainerSpec, 'image' | 'user'>> => ({ image: await image(), user });
  return {
    usesImage: true,
    paths: folders,
    async version(signal) {
      const spec = { ...(await own()), id: `${id}-version`, command: [join(programs, 'etcd'), '--version'] };
      const ends = AbortSignal.any([signal, AbortSignal.timeout(versionTimeoutMs)]);
      const output = await runContainer('etcd', namespace, spec, ends);
      return requireVersion(output, spec.image);
    },
    createRunner: (args) =>
      createContainerRunner({
        ...{ runtime: runtime.name, namespace, id, log, graceTimeoutMs },
        spec: async () => {
          await init.prepareCgroup(etcdCgroup);
          return {
            ...(await own()),
            id,
            command: [join(programs, 'etcd'), ...args],
            network: 'host',
            oomScoreAdjust: -998,
            cgroup: etcdCgroup,
            limits: { openFiles: 10_240 },
            mounts: [
              { kind: 'bind', source: secrets, target: secrets, readOnly: true },
              { kind: 'bind', source: data, target: data },
            ],
          };
        },
      }),
    restore: (restore, signal) =>
      restoreData({ data, owner: user }, async (draft) => {
        const command = [join(programs, 'etcdutl'), ...restoreArguments(restore, { snapshot, data: draft })];
        const folder = dirname(data);
        const mounts = [{ kind: 'bind', source: folder, target: folder }] as const;
        const spec = { ...(await own()), user: restoringUser, id: `${id}-restore`, command, mounts };
        await runContainer('etcdutl', namespace, spec, signal);
      }),
  };
}

function requireVersion(output: string, image: string): EtcdVersion {
  const version = etcdVersionFrom(output);
  if (version === undefined)
    throw new Fault(
      'failed-precondition',
      `image "${image}" is not an etcd image: etcd --version printed no etcd version`,
    );
  return version;
}
