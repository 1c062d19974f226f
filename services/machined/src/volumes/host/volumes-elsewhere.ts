import { Fault } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { identityText, type OtherDisk, partitionPath } from '../domain/plan/volume-plan.ts';
import type { DeviceFacts } from '../domain/plan-device-wipes.ts';
import {
  movableVolumes,
  type PartitionIdentity,
  type RecordedPlace,
  type RecordedPlaces,
} from '../domain/recorded-places.ts';
import { withoutDone } from '../domain/reset-record.ts';
import type { MetaOnDisk, VolumeRecords } from './meta-on-disk.ts';
import type { OtherDisks } from './other-disks.ts';

export interface VolumesElsewhereInit {
  readonly meta: Pick<MetaOnDisk, 'readRecords' | 'changeRecords'>;
  readonly disks: OtherDisks;
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * The devices of recorded volumes, for what must not touch them.
 *
 * @throws Fault when a volume may be on a disk that is not known to hold it: the records are lost, a disk does not answer, or none has the
 * partition, which a disk with a damaged table may still hold
 */
export function volumesOn(disks: readonly OtherDisk[], places: RecordedPlaces): DeviceFacts['volumes'] {
  if (places === 'lost')
    throw new Fault(
      'failed-precondition',
      `META was damaged, so it is not known which disks hold volumes: reset ${movableVolumes.join(' and ')} before a device is wiped`,
    );
  return [...places].flatMap(([id, place]) => {
    const found = disks.flatMap(({ path, state }) => {
      const entry =
        state.kind === 'table'
          ? state.table.partitions.find(({ guid }) => guid === place.partition)
          : undefined;
      return entry === undefined
        ? []
        : [{ id, location: partitionPath(path, entry.number), parentLocation: path }];
    });
    if (found.length > 0 || !place.isMade) return found;
    const unknown = disks.flatMap(({ path, state }) =>
      state.kind === 'unknown' ? [`${path}: ${state.problem}`] : [],
    );
    throw new Fault(
      unknown.length > 0 ? 'unavailable' : 'failed-precondition',
      `volume ${id} is ${identityText(place)}, which is on none of the disks that can be read, so no device is wiped: ${[...unknown, `connect its disk, or reset ${id} to give it up`].join('; ')}`,
    );
  });
}

/** Where the volumes are that are not on the system disk: what META records, and the disks. */
export class VolumesElsewhere {
  readonly disks: OtherDisks;
  readonly #meta: VolumesElsewhereInit['meta'];
  readonly #log: VolumesElsewhereInit['log'];
  #records: VolumeRecords;

  private constructor({ meta, disks, log }: VolumesElsewhereInit, records: VolumeRecords) {
    this.disks = disks;
    this.#meta = meta;
    this.#log = log;
    this.#records = records;
  }

  /** Reads the records. To be called after a reset that was interrupted is complete. META that cannot be read counts as lost. */
  static async open(init: VolumesElsewhereInit): Promise<VolumesElsewhere> {
    const lost: VolumeRecords = { places: 'lost', reset: undefined };
    return new VolumesElsewhere(init, await init.meta.readRecords().catch(() => lost));
  }

  /** Whether a volume may be on another disk at all. */
  isMovable(id: string): boolean {
    return movableVolumes.some((one) => one === id);
  }

  recorded(id: string): RecordedPlace | 'lost' | undefined {
    const volume = movableVolumes.find((one) => one === id);
    const { places } = this.#records;
    if (volume === undefined || places === 'lost') return volume && 'lost';
    return places.get(volume);
  }

  get places(): RecordedPlaces {
    return this.#records.places;
  }

  /** Looks at the other disks for a volume. What a reset has left on a disk that is back is wiped before. */
  async look(id: string): Promise<OtherDisk[]> {
    await this.#finishReset();
    const recorded = this.recorded(id);
    return this.disks.look(recorded === undefined || recorded === 'lost' ? [] : [recorded.partition]);
  }

  /** The disks, for all volumes that are recorded. */
  find(): Promise<OtherDisk[]> {
    const { places } = this.#records;
    if (places === 'lost' || places.size === 0) return Promise.resolve([]);
    return this.disks.look([]);
  }

  /** @throws Fault when META cannot be written: then nothing has changed */
  async record(id: string, place: RecordedPlace | undefined): Promise<void> {
    const volume = movableVolumes.find((one) => one === id);
    if (volume === undefined) throw new Fault('internal', `volume ${id} is always on the system disk`);
    this.#records = await this.#meta.changeRecords(({ places }) => {
      if (places === 'lost') throw new Fault('data-loss', 'the records of META are lost');
      const next = new Map(places);
      if (place === undefined) next.delete(volume);
      else next.set(volume, place);
      return { places: next };
    });
  }

  /** Reads the records again, after a reset has changed them. What cannot be read stays as it was. */
  async refresh(): Promise<void> {
    this.#records = await this.#meta.readRecords().catch(() => this.#records);
  }

  /** The recorded volumes whose partition is on a disk with this GUID. */
  idsOn(disk: string): string[] {
    const { places } = this.#records;
    return places === 'lost' ? [] : [...places].filter(([, place]) => place.disk === disk).map(([id]) => id);
  }

  /** A disk was wiped as a whole: nothing is left to do on it. */
  async forgetDisk(disk: string): Promise<void> {
    if (this.#records.reset?.elsewhere.some((one) => one.disk === disk) !== true) return;
    await this.#removeDone((one) => one.disk === disk);
  }

  async #finishReset(): Promise<void> {
    const { reset } = this.#records;
    if (reset === undefined || reset.isWhole || reset.removed.length > 0) return;
    const left = await this.disks.remove(reset.elsewhere);
    const isLeft = new Set(left.map(({ target }) => target.partition));
    const done = reset.elsewhere.filter(({ partition }) => !isLeft.has(partition));
    if (done.length === 0) return;
    const isDone = new Set(done.map(({ partition }) => partition));
    await this.#removeDone(({ partition }) => isDone.has(partition));
    this.#log.warn({ left: left.length }, 'what a reset had to wipe on another disk is wiped');
  }

  /** What another reset has recorded meanwhile stays. */
  async #removeDone(isDone: (target: PartitionIdentity) => boolean): Promise<void> {
    this.#records = await this.#meta.changeRecords(({ reset }) => ({ reset: withoutDone(reset, isDone) }));
  }
}
