import type { ServiceRecord } from './service-record.ts';

/** What is known of the services of the node. */
export interface ServiceRecords {
  /** Of those that were declared so far, sorted by id. */
  records(): readonly ServiceRecord[];
  /** Calls `listener` after every entry of a history, until it is disposed. */
  onChange(listener: (record: ServiceRecord) => void): Disposable;
}
