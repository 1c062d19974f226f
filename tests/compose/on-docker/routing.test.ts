// The test bodies of tests/cluster, on containers.
import { onDocker } from './on-docker.ts';

await onDocker('routing');
