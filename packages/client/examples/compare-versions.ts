// Calls `version` on all nodes of the context at once. Exits with 1 when the printed results differ.
import { openTalosClient } from '@nodewright/client';

const talos = openTalosClient();
const versions = new Set<string>();
try {
  for await (const { node, value, fault } of talos.fanOut((each, signal) =>
    each.machine.version({}, { signal }),
  )) {
    const version =
      fault === undefined ? (value.messages[0]?.version?.tag ?? 'unknown') : `failed: ${fault.message}`;
    versions.add(version);
    console.log(`${node} ${version}`);
  }
} finally {
  talos[Symbol.dispose]();
}
process.exitCode = versions.size === 1 ? 0 : 1;
