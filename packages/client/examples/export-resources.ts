// Usage: export-resources.ts <node> <kind>
// Prints every resource of a kind, one JSON document per line. The kind may be given by any of its names.
import { CallFault, openTalosClient, toJson } from '@nodewright/client';

const [name = 'node01', kind = 'resourcedefinitions'] = process.argv.slice(2);
const talos = openTalosClient();
try {
  for (const resource of await talos.node(name).resources.list(kind)) console.log(toJson(resource, 0));
} catch (error) {
  if (!(error instanceof CallFault)) throw error;
  console.error(`${name}: ${error.message}`);
  process.exitCode = 1;
} finally {
  talos[Symbol.dispose]();
}
