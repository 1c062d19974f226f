// Prints the members of the cluster as JSON, read from the first node of the context.
import { openTalosClient, toJson } from '@nodewright/client';
import { members } from '@nodewright/client/kinds';

const talos = openTalosClient();
try {
  const [node] = talos.targets;
  const found = (await node?.resources.list(members)) ?? [];
  console.log(
    toJson(
      found.map(({ metadata, spec }) => ({
        name: metadata.id,
        addresses: spec.addresses,
        role: spec.machineType,
      })),
    ),
  );
} finally {
  talos[Symbol.dispose]();
}
