import type { NodeClient } from '@nodewright/client';
import { type Disk, disk_DiskTypeToJSON } from '@nodewright/contract/gen/storage/storage.ts';
import { followFacts } from '../../dashboard/feed/follow-facts.ts';
import { followSamples } from '../../dashboard/feed/follow-samples.ts';
import type { NodeEvent } from '../../dashboard/model/events.ts';
import type { FactName, Facts } from '../../dashboard/model/facts.ts';
import type { Sample } from '../../dashboard/model/sample.ts';
import { onlyMessage } from '../../nodes/only-message.ts';
import { describeSample } from '../domain/describe-sample.ts';
import type { DiskRow, FeedEvent } from '../protocol/messages.ts';
import { type PageFeedContext, readAtIntervals } from './page-feed-context.ts';

const sampleMs = 2000;
/** No watch reports free space. */
const storageMs = 10_000;

/** Follows everything about one node: its samples, the resources that describe it, and its storage. */
export async function followNode(context: PageFeedContext): Promise<void> {
  let last: Sample | undefined;
  const take = (event: NodeEvent) => {
    if (event.kind === 'facts') context.emit({ ...event, gone: goneOf(event.facts) });
    else if (event.kind === 'lost') {
      last = undefined;
      context.emit({ kind: 'problem', message: event.message });
    } else if (event.kind === 'sampled') {
      const sample = { ...event.sample, cpus: event.sample.cpus ?? last?.cpus };
      context.emit({ kind: 'detail', detail: describeSample(sample, last) });
      last = sample;
    }
  };
  const feed = { ...context, emit: take };
  await Promise.all([
    followSamples(feed, true, sampleMs),
    followFacts(feed, true),
    readAtIntervals(context, storageMs, (signal) => readStorage(context.node, signal)),
  ]);
}

/** A fact that is undefined is not encoded, so its name is. */
const goneOf = (facts: Partial<Facts>) =>
  (Object.keys(facts) as FactName[]).filter((name) => facts[name] === undefined);

async function readStorage({ machine, storage }: NodeClient, signal: AbortSignal): Promise<FeedEvent> {
  const [mounts, disks] = await Promise.all([
    machine.mounts({}, { signal }),
    // A node may lack this call: its mounts are shown all the same.
    storage.disks({}, { signal }).catch(() => undefined),
  ]);
  return {
    kind: 'storage',
    mounts: onlyMessage(mounts)
      .stats.filter(({ size }) => size > 0n)
      .map(({ filesystem, mountedOn, size, available }) => ({
        ...{ source: filesystem, at: mountedOn, sizeBytes: Number(size), freeBytes: Number(available) },
      })),
    disks: disks === undefined ? [] : onlyMessage(disks).disks.map(diskRow),
  };
}

const diskRow = ({ deviceName, model, size, type, systemDisk }: Disk): DiskRow => ({
  ...{ name: deviceName, model, sizeBytes: Number(size), isSystem: systemDisk },
  type: disk_DiskTypeToJSON(type),
});
