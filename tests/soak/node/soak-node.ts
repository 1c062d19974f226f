// A node of one container for an hour, on which nobody does anything: does what machined holds stay the same? `MINUTES=` (60), at least
// 15. The resident memory of an idle daemon says little: it grows for a long time until V8 collects. So machined runs with its
// inspector, collects after ten minutes and at the end, and what is left is compared. Ends with 1 when it holds more.
import { setTimeout as sleep } from 'node:timers/promises';
import { runDocker } from '@nodewright/provision/engine';
import { runOpened } from '../../cluster/run-opened.ts';
import { startWholeNode, type WholeNode } from '../../node-image/whole-node.ts';
import { inspectHeap, type Reachable } from './inspect-heap.ts';

const minutes = Number(process.env.MINUTES || 60);
const warmUpMinutes = 10;
/** Between two looks; the last one decides. */
const lookMinutes = 5;
const leastMinutes = warmUpMinutes + lookMinutes;
/**
 * What machined may hold more at the end, in bytes: its logs and events in memory fill up to their limits. A leak of 2 kB each second
 * makes 6 MB of the 50 minutes between the looks.
 */
const allowedBytes = 3_000_000;
const inspectorPort = 9229;

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`;
const sum = ({ heap, buffers }: Reachable) => heap + buffers;

function show(minute: number, reachable: Reachable): void {
  process.stdout.write(
    `after ${minute} minutes: machined holds ${megabytes(reachable.heap)} of objects and ${megabytes(reachable.buffers)} of buffers\n`,
  );
}

function openNode(): Promise<WholeNode> {
  if (!(minutes >= leastMinutes)) throw new Error(`MINUTES=${minutes} are too few: at least ${leastMinutes}`);
  const flags = ['--env', `NODE_OPTIONS=--inspect=0.0.0.0:${inspectorPort}`];
  return startWholeNode({ isConfigured: true, flags });
}

async function soak(node: WholeNode): Promise<boolean> {
  await node.runs('apid', 'trustd', 'cri');
  const bootstrap = await node.talosctl('bootstrap');
  if (bootstrap.exitCode !== 0) throw new Error(`bootstrap: ${bootstrap.stderr}`);
  await node.runs('etcd');
  const startOf = async () =>
    (await runDocker(['container', 'inspect', '--format', '{{.State.StartedAt}}', node.container])).trim();
  const started = await startOf();
  const inspector = `${node.address}:${inspectorPort}`;
  await sleep(warmUpMinutes * 60_000);
  const before = await inspectHeap(inspector);
  show(warmUpMinutes, before);
  let after = before;
  for (let minute = warmUpMinutes + lookMinutes; minute <= minutes; minute += lookMinutes) {
    await sleep(lookMinutes * 60_000);
    after = await inspectHeap(inspector);
    show(minute, after);
  }
  if ((await startOf()) !== started) throw new Error('the node was restarted');
  const isFlat = sum(after) <= sum(before) + allowedBytes;
  process.stdout.write(
    `${isFlat ? 'passed' : 'failed'}: machined holds ${megabytes(sum(after) - sum(before))} more than after ${warmUpMinutes} minutes\n`,
  );
  return isFlat;
}

await runOpened({ open: openNode, run: soak });
