import { dirname, resolve } from 'node:path';
import { serviceIds } from '@nodewright/contract';
import { forgoCapabilities } from '../services/host/forgo-capabilities.ts';
import { ownService } from '../services/host/own-service.ts';
import type { Host } from './open-host.ts';
import type { NodeTopics } from './open-topics.ts';

/** The last stage: the sequences that bring the node up. It resolves when every service is up, which may take for ever. */
export async function boot(host: Host, topics: NodeTopics): Promise<void> {
  const { world, layout, log } = host;
  const { config, services, etcd, daemons, life } = topics;
  // The node's own containers and machines give each service what it may have; here they are programs of the host.
  if (world.isGuest) await forgoCapabilities([layout.root, ...programFolders(host)], log);
  await life.sequences.initialize({
    startMachined: () => services.manager.add([ownService(layout.paths.machinedSocket)]),
    startApid: (signal) => daemons.begin(serviceIds.apid, signal),
    loadConfig: config.acquire,
  });
  await life.sequences.boot(async (signal) => {
    await Promise.all([daemons.begin(serviceIds.trustd, signal), etcd.begin(signal)]);
  });
}

/** Where the programs are that machined starts. */
function programFolders({ servicesFolder, options }: Host): string[] {
  const { etcdBinary, etcdutlBinary, nodeBinary } = options;
  const programs = [nodeBinary ?? process.execPath, etcdBinary, etcdutlBinary].filter(
    (path) => path !== undefined,
  );
  return [servicesFolder ?? '/', ...programs.map((path) => dirname(resolve(path)))];
}
