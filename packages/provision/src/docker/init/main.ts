// The program of the container `init`, the first of a stack: generates the secrets and configurations of the
// nodes, and exits.
import { parseArgs } from 'node:util';
import { faultFrom } from '@nodewright/fault';
import { parseStackNode } from './cluster-plan.ts';
import { writeCluster } from './write-cluster.ts';

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      name: { type: 'string', default: 'talos-default' },
      folder: { type: 'string', default: '/cluster' },
      'control-plane': { type: 'string', multiple: true, default: [] },
      worker: { type: 'string', multiple: true, default: [] },
      'time-server': { type: 'string' },
      'cert-san': { type: 'string', multiple: true, default: [] },
    },
  });
  const made = await writeCluster(
    values.folder,
    {
      name: values.name,
      nodes: [
        ...values['control-plane'].map((text) => parseStackNode(text, 'controlplane')),
        ...values.worker.map((text) => parseStackNode(text, 'worker')),
      ],
      timeServer: values['time-server'],
      certSans: values['cert-san'],
    },
    () => new Date(),
  );
  process.stdout.write(made.length === 0 ? 'all files exist already\n' : `wrote ${made.join(', ')}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`cluster-init: ${faultFrom(error).message}\n`);
  process.exitCode = 1;
});
