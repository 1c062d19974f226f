import { runDaemon } from '@nodewright/daemon';
import { supervisor } from './supervisor.ts';

void runDaemon(supervisor);
