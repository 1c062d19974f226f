import { runDaemon } from '@nodewright/daemon';
import { createMachined } from './machined.ts';

void runDaemon(createMachined());
