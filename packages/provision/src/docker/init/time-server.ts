import { type DaemonDefinition, runDaemon } from '@nodewright/daemon';
import { createSntpServer } from '@nodewright/sntp';
import { clusterPorts } from '../../domain/cluster-ports.ts';

const lookEveryMs = 1000;

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
  whilePid: {
    env: 'TIME_SERVER_WHILE_PID',
    type: 'integer',
    default: 0,
    description: 'process with which the server ends; 0 for none',
  },
} as const;

/**
 * Serves the time of the host to the nodes of a stack, and to a virtual machine while its emulator runs. In a cluster of processes,
 * the supervisor does this.
 */
const timeServer: DaemonDefinition<typeof options> = {
  name: 'time-server',
  summary: 'serves the time of the host to the nodes of a cluster',
  options,
  async start(context, scope) {
    const { address, port, whilePid } = context.options;
    scope.use(await createSntpServer({ address, port }));
    context.log.info({ address, port }, 'listening');
    if (whilePid > 0) scope.use(endWith(whilePid, () => context.end('the process has ended', 0)));
  },
};

/** It is no child of this process, so its end is not reported. */
function endWith(pid: number, end: () => void): Disposable {
  const timer = setInterval(() => {
    try {
      process.kill(pid, 0);
    } catch {
      end();
    }
  }, lookEveryMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

void runDaemon(timeServer);
