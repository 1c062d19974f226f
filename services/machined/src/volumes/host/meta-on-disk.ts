import { metaMends, metaPartitionBytes, metaWrites, readMeta } from '@nodewright/disk';
import { Fault } from '@nodewright/fault';
import { encodePlaces, placesFrom, type RecordedPlaces } from '../domain/recorded-places.ts';
import { encodeReset, type ResetRecord, resetFrom } from '../domain/reset-record.ts';
import type { BlockPort } from './block-port.ts';
import { Turns } from './turns.ts';

type Values = ReadonlyMap<number, Uint8Array>;

/** The keys in META that a machine keeps for itself: nothing else uses them. Source: Talos v1.14: META partition. */
const ownKeys = { places: 0xfd, reset: 0xfe } as const;
const isOwn = (key: number) => key === ownKeys.places || key === ownKeys.reset;

/** What a machine records about its volumes. */
export interface VolumeRecords {
  readonly places: RecordedPlaces;
  /** A reset that is not complete. */
  readonly reset: ResetRecord | undefined;
}

/** A change of the records, by one write. */
export interface RecordsChange extends Partial<VolumeRecords> {
  /** All other values are removed. */
  readonly clearsValues?: boolean;
}

/**
 * META on its partition. A write that the power cuts leaves the old or the new values. The records of a machine are no values: they are
 * neither read nor written with them.
 *
 * @param device of the partition
 */
export function createMetaOnDisk(port: Pick<BlockPort, 'read' | 'write'>, device: string) {
  const turns = new Turns();
  const load = () => port.read(device, 0, metaPartitionBytes);
  const damage = () => new Fault('data-loss', `${device} is damaged: no copy of the META values is whole`);
  /** Both copies have the same values then: a failure of the next write leaves these or the new ones. */
  const loadMended = async (): Promise<Values | undefined> => {
    const partition = await load();
    const values = readMeta(partition);
    if (values !== undefined) await port.write(device, metaMends(partition));
    return values;
  };
  const only = (values: Values | undefined, wanted: (key: number) => boolean) =>
    [...(values ?? [])].filter(([key]) => wanted(key));
  /** The records of a damaged META are lost, and must not count as none. */
  const ownOf = (values: Values | undefined) =>
    values === undefined ? [[ownKeys.places, encodePlaces('lost')] as const] : only(values, isOwn);
  const store = async (entries: readonly (readonly [number, Uint8Array | undefined])[]) => {
    const values = entries.filter((entry): entry is [number, Uint8Array] => entry[1] !== undefined);
    await port.write(device, metaWrites(new Map(values)));
  };
  const replace = (values: Values) =>
    turns.run(async () =>
      store([...only(values, (key) => !isOwn(key)), ...ownOf(await loadMended())] as const),
    );
  return {
    /** @throws Fault `data-loss` when no copy of the values is whole */
    read: (): Promise<Values> =>
      turns.run(async () => {
        const values = await loadMended();
        if (values === undefined) throw damage();
        return new Map(only(values, (key) => !isOwn(key)));
      }),
    write: replace,
    /** What is damaged cannot be kept on a partition of this size: it is replaced by no values. */
    putAside: (): Promise<void> => replace(new Map()),
    /** The records. Those of a damaged META are lost. @throws Error of Node.js */
    readRecords: (): Promise<VolumeRecords> =>
      turns.run(async () => {
        const values = readMeta(await load());
        if (values === undefined) return { places: 'lost', reset: undefined };
        return {
          places: placesFrom(values.get(ownKeys.places)),
          reset: resetFrom(values.get(ownKeys.reset)),
        };
      }),
    /** Changes what is named, from the records that are there. @returns the records after it */
    changeRecords: (change: (present: VolumeRecords) => RecordsChange | undefined): Promise<VolumeRecords> =>
      turns.run(async () => {
        const values = await loadMended();
        const present: VolumeRecords =
          values === undefined
            ? { places: 'lost', reset: undefined }
            : { places: placesFrom(values.get(ownKeys.places)), reset: resetFrom(values.get(ownKeys.reset)) };
        const changed = change(present);
        if (changed === undefined) return present;
        const { clearsValues = false, ...records } = changed;
        const next = { ...present, ...records };
        await store([
          ...(clearsValues ? [] : only(values, (key) => !isOwn(key))),
          [ownKeys.places, encodePlaces(next.places)],
          [ownKeys.reset, next.reset && encodeReset(next.reset)],
        ]);
        return next;
      }),
  };
}

export type MetaOnDisk = ReturnType<typeof createMetaOnDisk>;
