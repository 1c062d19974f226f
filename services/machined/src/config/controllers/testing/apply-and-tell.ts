// Applies a text to the configuration topic of a node in a folder, and prints `acknowledged` once the call is
// answered. Tests run this program and kill it halfway.
import { readFileSync, writeSync } from 'node:fs';
import type { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { openConfigNode } from './open-config-node.ts';

const [folder = '', textFile = '', mode = ''] = process.argv.slice(2);
await using node = await openConfigNode({ folder, validate: () => [] });
await node.admin.applyConfiguration({ data: readFileSync(textFile), mode: Number(mode) as Mode });
writeSync(1, 'acknowledged\n');
