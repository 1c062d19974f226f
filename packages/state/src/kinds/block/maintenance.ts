import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { duration, field, text, time } from '../../spec/field-types.ts';
import { filesystemType } from './enumerations.ts';

/** When volumes tell their disks what is free, by volume. */
export const volumeTrimSchedules = defineKind({
  type: 'VolumeTrimSchedules.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Filesystem: '{.filesystem}',
    Interval: '{.interval}',
    'Next Trim': '{.nextTrim}',
  },
  spec: {
    filesystem: field(1, filesystemType),
    interval: field(2, duration),
    nextTrim: field(3, time),
  },
});
export type VolumeTrimScheduleSpec = SpecOf<typeof volumeTrimSchedules>;

/** When file systems are checked, by volume. */
export const fsScrubSchedules = defineKind({
  type: 'FSScrubSchedules.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Filesystem: '{.filesystem}',
    Interval: '{.interval}',
    'Next Scrub': '{.nextScrub}',
  },
  spec: {
    filesystem: field(1, filesystemType),
    interval: field(2, duration),
    nextScrub: field(3, time),
  },
});
export type FsScrubScheduleSpec = SpecOf<typeof fsScrubSchedules>;

/** How the last check of each file system went, by volume. */
export const fsScrubStatuses = defineKind({
  type: 'FSScrubStatuses.block.talos.dev',
  defaultNamespace: 'runtime',
  printColumns: {
    Mountpoint: '{.mountpoint}',
    Interval: '{.interval}',
    'Latest start time': '{.time}',
    'Latest run duration': '{.duration}',
    'Latest status': '{.status}',
  },
  spec: {
    mountpoint: field(1, text),
    interval: field(2, duration),
    time: field(3, time),
    /** Last run time. */
    duration: field(4, duration),
    /** `success` or error text. */
    status: field(5, text),
  },
});
export type FsScrubStatusSpec = SpecOf<typeof fsScrubStatuses>;
