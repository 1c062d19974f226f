import { type DaemonDefinition, runDaemon } from '@nodewright/daemon';
import { createSntpServer } from '@nodewright/sntp';
import { clusterPorts } from '../../domain/cluster-ports.ts';

const options = {
  address: {
    env: 'TIME_SERVER_ADDRESS',
    type: 'string',
    default: '0.0.0.0',
    description: 'where it listens',
  },
  port: { env: 'TIME_SERVER_PORT', type: 'integer', default: clusterPorts.time, description: 'UDP port' },
} as const;

/** Tells the nodes of a stack the time of their host, as the supervisor does in a cluster of processes. */
const timeServer: DaemonDefinition<typeof options> = {
  name: 'time-server',
  summary: 'tells the nodes of a stack the time of their host',
  options,
  async start(context, scope) {
    const { address, port } = context.options;
    scope.use(await createSntpServer({ address, port }));
    context.log.info({ address, port }, 'listening');
  },
};

void runDaemon(timeServer);
