import { runDaemon } from '@nodewright/daemon';
import { keeper } from './keeper.ts';

void runDaemon(keeper);
