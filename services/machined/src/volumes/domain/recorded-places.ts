// Where volumes are that are not on the system disk. A machine records this in META before such a partition exists, and from then on the
// volume is that partition, wherever its disk is found: labels say nothing, because the disk of another machine has the same ones.
import { type VolumeId, volumeTable } from '@nodewright/contract/volumes';

/** A partition by what stays the same when disks change their paths. */
export interface PartitionIdentity {
  /** GUID of the partition table of its disk. */
  readonly disk: string;
  /** GUID of the partition. */
  readonly partition: string;
}

export interface RecordedPlace extends PartitionIdentity {
  /** The file system was created, and the volume may have been used since. Otherwise the partition may not exist yet, and holds no data. */
  readonly isMade: boolean;
}

/** By volume. `lost`: there may have been records, and nobody knows which. */
export type RecordedPlaces = ReadonlyMap<VolumeId, RecordedPlace> | 'lost';

/** The volumes that can be on another disk: those whose document has an effect on where they are created. */
export const movableVolumes: readonly VolumeId[] = volumeTable
  .filter(({ acts }) => acts?.includes('provisioning.diskSelector.match'))
  .map(({ id }) => id);

const lostText = 'lost';

/** The value in META; undefined when there is nothing to record. It is short, so that the small copies of META have room for it. */
export function encodePlaces(places: RecordedPlaces): Uint8Array | undefined {
  if (places === 'lost') return Buffer.from(lostText);
  if (places.size === 0) return undefined;
  const rows = [...places].map(([id, { disk, partition, isMade }]) => [id, disk, partition, Number(isMade)]);
  return Buffer.from(JSON.stringify(rows));
}

/** A value that is not understood counts as lost: to take it for none could create a volume a second time. */
export function placesFrom(value: Uint8Array | undefined): RecordedPlaces {
  if (value === undefined) return new Map();
  try {
    const rows: unknown = JSON.parse(Buffer.from(value).toString());
    if (!Array.isArray(rows) || rows.length > volumeTable.length) return 'lost';
    const places = new Map<VolumeId, RecordedPlace>();
    for (const row of rows as readonly unknown[]) {
      const [name, disk, partition, made] = Array.isArray(row) ? (row as readonly unknown[]) : [];
      const id = movableVolumes.find((one) => one === name);
      if (id === undefined || places.has(id) || !isGuid(disk) || !isGuid(partition)) return 'lost';
      if (made !== 0 && made !== 1) return 'lost';
      places.set(id, { disk, partition, isMade: made === 1 });
    }
    return places;
  } catch {
    return 'lost';
  }
}

const guidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isGuid = (value: unknown): value is string => typeof value === 'string' && guidForm.test(value);

/** The places that are left when these volumes were wiped. What was lost counts as wiped when each volume is that could be meant. */
export function placesWithout(places: RecordedPlaces, wiped: readonly string[]): RecordedPlaces {
  if (places === 'lost') return movableVolumes.every((id) => wiped.includes(id)) ? new Map() : 'lost';
  return new Map([...places].filter(([id]) => !wiped.includes(id)));
}
