import { dirname, resolve } from 'node:path';
import { serviceIds } from '@nodewright/contract';
import { volumeIds } from '@nodewright/contract/volumes';
import { forgoCapabilities } from '../services/host/forgo-capabilities.ts';
import { ownService } from '../services/host/own-service.ts';
import type { Host } from './open-host.ts';
import type { NodeTopics } from './open-topics.ts';

/**
 * The last stage: runs the sequences that bring the node up. Resolves when every service is up, which may
 * never happen.
 */
export async function boot(host: Host, topics: NodeTopics): Promise<void> {
  const { world, layout, log } = host;
  const { config, services, devices, containers, etcd, kubelet, kubernetes, daemons, extensions } = topics;
  const { life, upgrade, volumes } = topics;
  // Here services are programs of the host and must not gain capabilities. Containers and machines have
  // limits of their own.
  if (world.isGuest) await forgoCapabilities([layout.root, ...programFolders(host)], log);
  // What came before this start is put in order first. It may have to be another one.
  if (await upgrade?.begin()) return;
  void upgrade?.settle();
  // Each of them waits for what it names itself, and some bring the node its network or its configuration.
  extensions.begin();
  await life.sequences.initialize({
    startMachined: () => services.manager.add([ownService(layout.paths.machinedSocket)]),
    startDevices: async (signal) => {
      await Promise.all([daemons.begin(serviceIds.udevdBridge, signal), devices.begin?.(signal)]);
    },
    startApid: (signal) => daemons.begin(serviceIds.apid, signal),
    loadConfig: config.acquire,
  });
  // Nothing else of the node runs yet that a restart would have to stop.
  if (await upgrade?.upgradeStaged()) return;
  // Without a system on a disk, what services write would be lost.
  if (await upgrade?.installConfigured?.((attempt) => life.sequences.install(attempt))) return;
  // Nothing waits for it: it waits for devices and kernel modules, which need nothing of what follows.
  void extensions.settle();
  const mountEphemeral = async (signal: AbortSignal) => {
    await volumes.mounted(volumeIds.ephemeral, signal);
    host.logCopies.begin();
  };
  await life.sequences.boot({
    mountEphemeral: volumes.partitions && mountEphemeral,
    startServices: async (signal) => {
      await Promise.all([
        containers.begin(signal),
        daemons.begin(serviceIds.trustd, signal),
        daemons.begin(serviceIds.registryd, signal),
        etcd.begin(signal),
        kubernetes.begin(signal),
        kubelet?.begin(signal),
      ]);
    },
  });
}

/** The folders of the programs that machined starts. */
function programFolders({ servicesFolder, options }: Host): string[] {
  const { etcdBinary, etcdutlBinary, kubernetesDir, nodeBinary } = options;
  const programs = [nodeBinary ?? process.execPath, etcdBinary, etcdutlBinary].filter(
    (path) => path !== undefined,
  );
  return [
    servicesFolder ?? '/',
    ...(kubernetesDir === undefined ? [] : [kubernetesDir]),
    ...programs.map((path) => dirname(resolve(path))),
  ];
}
