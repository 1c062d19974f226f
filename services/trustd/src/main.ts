import { runDaemon } from '@nodewright/daemon';
import { trustd } from './trustd.ts';

void runDaemon(trustd);
