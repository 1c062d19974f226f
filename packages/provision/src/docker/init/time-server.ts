import { type DaemonDefinition, runDaemon } from '@nodewright/daemon';
import { createSntpServer } from '@nodewright/sntp';
import { clusterPorts } from '../../domain/cluster-ports.ts';

const options = {
  address: {
    env: 'TIME_SERVER_ADDRESS',
    type: 'string',
    default: '0.0.0.0',
    description: 'address to listen on',
  },
  port: {
    env: 'TIME_SERVER_PORT',
    type: 'integer',
    default: clusterPorts.time,
    description: 'UDP port to listen on',
  },
} as const;

/**
 * Serves the time of the host to the nodes of a stack. In a cluster of processes, the supervisor does this.
 */
const timeServer: DaemonDefinition<typeof options> = {
  name: 'time-server',
  summary: 'serves the time of the host to the nodes of a stack',
  options,
  async start(context, scope) {
    const { address, port } = context.options;
    scope.use(await createSntpServer({ address, port }));
    context.log.info({ address, port }, 'listening');
  },
};

void runDaemon(timeServer);
