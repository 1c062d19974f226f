import { runDaemon } from '@nodewright/daemon';
import { udevdBridge } from './udevd-bridge.ts';

void runDaemon(udevdBridge);
