import { runDaemon } from '@nodewright/daemon';
import { apid } from './apid.ts';

void runDaemon(apid);
