import { logIds, serviceIds } from '@nodewright/contract';
import type { LogStore } from '@nodewright/services/logs';

/** The fields of lines of a controller and of the runtime. Inside of a text the quotation mark is escaped. */
const controllerFields = ['"controller":', '"controllers":'];

/**
 * The sink of machined's own lines. The log that upstream's clients read for the controllers has theirs a second time, so
 * that those of calls do not overwrite them; they go to disk and to destinations once, with the log of machined.
 * Source: Talos v1.14: log ids.
 */
export function openOwnLog(store: LogStore): { write(line: string): void } {
  const own = store.open(serviceIds.machined);
  const controllers = store.open(logIds.controllerRuntime, { isInMemoryOnly: true });
  return {
    write(line) {
      own.write(line);
      if (controllerFields.some((field) => line.includes(field))) controllers.write(line);
    },
  };
}
