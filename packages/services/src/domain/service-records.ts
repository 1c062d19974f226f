import type { ServiceRecord } from './service-record.ts';

/** Access to the records of the node's services. */
export interface ServiceRecords {
  /** The records of all declared services, sorted by id. */
  records(): readonly ServiceRecord[];
  /** Calls `listener` after every new history entry, until the result is disposed. */
  onChange(listener: (record: ServiceRecord) => void): Disposable;
}
