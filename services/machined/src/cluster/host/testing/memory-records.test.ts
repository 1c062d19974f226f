import { checkRecordStore } from './check-record-store.ts';
import { MemoryRecords } from './memory-records.ts';

checkRecordStore(
  'MemoryRecords',
  async (scope) => {
    const records = scope.use(new MemoryRecords());
    records.members.add('a1');
    return async () => records.open();
  },
  async () => 'a1',
);
