// The test bodies of tests/cluster, on nodes that are one container each.
import { onNodeImage } from './on-node-image.ts';

await onNodeImage('configuration');
