import { runDaemon } from '@nodewright/daemon';
import { setThreadPoolSize } from '@nodewright/linux';
import { createMachined } from './machined.ts';

setThreadPoolSize();
void runDaemon(createMachined());
