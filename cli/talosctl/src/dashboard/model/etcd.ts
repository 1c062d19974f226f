import type { EtcdMember, EtcdMemberStatus } from '@nodewright/contract/gen/machine/machine.ts';

/** A member of etcd, and its state or why it has none. */
export interface EtcdMemberState {
  readonly member: EtcdMember;
  readonly status: EtcdMemberStatus | undefined;
  readonly problem: string | undefined;
  /** Names of its alarms. */
  readonly alarms: readonly string[];
}

/** All members of etcd at one time. */
export interface EtcdSample {
  readonly atMs: number;
  /** The same moment on a clock that nobody sets. */
  readonly elapsedMs: number;
  readonly members: readonly EtcdMemberState[];
}

/** What is known about etcd. */
export interface EtcdModel {
  readonly sample?: EtcdSample;
  /** Why the members cannot be listed at the moment; the feed retries. */
  readonly problem?: string | undefined;
  /** Entries of the raft log per second, newest last. */
  readonly writes: readonly number[];
  /** Bytes of the largest database file, newest last. */
  readonly sizes: readonly number[];
}

export const unknownEtcd: EtcdModel = { writes: [], sizes: [] };

const keptSamples = 400;

export function withEtcdSample({ sample: before, writes, sizes }: EtcdModel, sample: EtcdSample): EtcdModel {
  const [index, old] = [highestIndex(sample), before && highestIndex(before)];
  const seconds = before === undefined ? 0 : (sample.elapsedMs - before.elapsedMs) / 1000;
  const isGrowing = index !== undefined && old !== undefined && index >= old && seconds > 0;
  const rate = isGrowing ? [Number(index - old) / seconds] : [];
  const size = Math.max(...sample.members.map(({ status }) => Number(status?.dbSize ?? 0n)));
  return {
    sample,
    writes: [...writes, ...rate].slice(-keptSamples),
    sizes: [...sizes, ...(size > 0 ? [size] : [])].slice(-keptSamples),
  };
}

/** The highest index of the raft log; undefined when no member answers. */
export function highestIndex({ members }: EtcdSample): bigint | undefined {
  const indexes = members.flatMap(({ status }) => (status === undefined ? [] : [status.raftIndex]));
  return indexes.length === 0 ? undefined : indexes.reduce((a, b) => (a > b ? a : b));
}
