// `make scale`: one apid in front of a hundred nodes and a thousand client connections. The nodes and the clients are
// stubs in this process. Writes _out/scale/scale.json, and with --picture the curves to a file.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { engineNamed } from '@nodewright/h2';
import { backendLanes } from '../../services/apid/src/domain/limits.ts';
import { ApidUnderTest } from '../contract/apid/harness/apid-under-test.ts';
import { engineName } from '../interop/gateway/start-gateway.ts';
import { measureScale, type ScaleFigures } from './measure-scale.ts';
import { renderCurves } from './render-curves.ts';
import { answerAsNode, startStubNodes } from './stub-nodes.ts';

const checkout = join(import.meta.dirname, '..', '..');
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, picture: { type: 'string' } },
});
const size = values.quick
  ? { nodes: 10, connections: 40, streams: 40 }
  : { nodes: 100, connections: 1000, streams: 1000 };
const progress = (text: string) => void process.stderr.write(`scale: ${text}\n`);

/** Why the run fails; empty when apid does what it promises. */
function findings({ connectionsPerNode: { oneCaller, allCallers } }: ScaleFigures): string[] {
  return [
    ...(oneCaller === 1 ? [] : [`one caller has ${oneCaller} connections to a node instead of 1`]),
    ...(allCallers <= backendLanes
      ? []
      : [`all callers have ${allCallers} connections to a node, more than ${backendLanes}`]),
  ];
}

function print({ curves, connectionsPerNode, fanOut, talosctlMs }: ScaleFigures): void {
  for (const { of, samples, kilobytesEach, cpuMsEach } of curves) {
    const { count = 0, rss = 0 } = samples.at(-1) ?? {};
    process.stdout.write(
      `${count} ${of}: ${kilobytesEach.toFixed(1)} kB and ${cpuMsEach.toFixed(2)} ms CPU each, ${rss.toFixed(0)} MB in the end\n`,
    );
  }
  const { oneCaller, allCallers } = connectionsPerNode;
  process.stdout.write(`connections to a node: ${oneCaller} for one caller, ${allCallers} for all\n`);
  process.stdout.write(
    `one call to ${fanOut.nodes} nodes: p50 ${fanOut.p50.toFixed(1)} ms, at most ${fanOut.max.toFixed(1)} ms\n`,
  );
  process.stdout.write(`talosctl version for ${fanOut.nodes} nodes: ${talosctlMs.toFixed(0)} ms\n`);
}

await using scope = new AsyncDisposableStack();
const apid = scope.use(await ApidUnderTest.start({ machined: answerAsNode, onOwnPort: true }));
const nodes = await startStubNodes(size.nodes, apid.authority, scope);
const members = nodes.map(({ name, address }) => ({ hostname: name, addresses: [address] }));
await apid.writeRuntime({ members: [...apid.runtime.members, ...members] });
await apid.eventually('all members', () =>
  apid.process.lines().some((line) => line.msg === 'identity in force' && line.members === nodes.length + 1),
);
const figures = await measureScale({ ...size, apid, nodes, scope, progress });
print(figures);
const engine = engineNamed(engineName).name;
const out = join(checkout, '_out', 'scale');
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'scale.json'), `${JSON.stringify({ engine, ...figures }, null, 2)}\n`);
if (values.picture !== undefined)
  writeFileSync(values.picture, renderCurves(`apid on the engine ${engine}`, figures.curves));
for (const finding of findings(figures)) {
  process.stdout.write(`scale: ${finding}\n`);
  process.exitCode = 1;
}
