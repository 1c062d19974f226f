import { openTalosClient } from '@nodewright/client';
import { members } from '@nodewright/client/kinds';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import type { Telemetry } from '@nodewright/telemetry';

/** Reads the members of a cluster from its control planes. */
export interface MembersProbe {
  /** Resolves to the addresses of the members that the node behind `endpoint` lists. Throws when the call fails. */
  addresses(endpoint: string, signal: AbortSignal): Promise<readonly string[]>;
}

/** Creates a probe that uses `@nodewright/client`, as users do. Each call has a connection of its own. */
export function openClientMembersProbe(talosconfig: string, telemetry: Telemetry): MembersProbe {
  const config = parseTalosconfig(talosconfig);
  const context = config.contexts.get(config.context);
  return {
    async addresses(endpoint, signal) {
      using client = openTalosClient({ context, endpoints: [endpoint], telemetry });
      const listed = await client.firstEndpoint().resources.list(members, { signal });
      return listed.flatMap(({ spec }) => spec.addresses);
    },
  };
}
