// A program: starts the configuration part of a node in a folder, applies a text by a call, and says so once the call is
// answered. Run by tests that kill it on the way.
import { readFileSync, writeSync } from 'node:fs';
import type { ApplyConfigurationRequest_Mode as Mode } from '@nodewright/contract/gen/machine/machine.ts';
import { openConfigNode } from './open-config-node.ts';

const [folder = '', textFile = '', mode = ''] = process.argv.slice(2);
await using node = await openConfigNode({ folder, validate: () => [] });
await node.admin.applyConfiguration({ data: readFileSync(textFile), mode: Number(mode) as Mode });
writeSync(1, 'acknowledged\n');
