import { runDaemon } from '@nodewright/daemon';
import { registryd } from './registryd.ts';

void runDaemon(registryd);
