// Usage: follow-services.ts <node> [seconds]
// Prints a line for each service of a node, and another one whenever a service is created, changes or is
// destroyed.
import { openTalosClient } from '@nodewright/client';
import { services } from '@nodewright/client/kinds';

const [name = 'node01', seconds = '60'] = process.argv.slice(2);
const talos = openTalosClient();
try {
  const signal = AbortSignal.timeout(Number(seconds) * 1000);
  for await (const change of talos.node(name).resources.watch(services, { signal })) {
    if (change.kind === 'bootstrapped') console.log('-- now');
    if (!('resource' in change)) continue;
    const { metadata, spec } = change.resource;
    console.log(`${change.kind} ${metadata.id}: ${spec.healthy ? 'healthy' : 'not healthy'}`);
  }
} finally {
  talos[Symbol.dispose]();
}
