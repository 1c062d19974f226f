// The same bodies as on processes, on containers.
import { onDocker } from './on-docker.ts';

await onDocker('reboot');
