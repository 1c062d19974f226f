import { checkRecordStore } from './check-record-store.ts';
import { MemoryRecords } from './memory-records.ts';

checkRecordStore('MemoryRecords', async (scope) => {
  const records = scope.use(new MemoryRecords());
  return async () => records.open();
});
