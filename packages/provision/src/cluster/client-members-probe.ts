import { openTalosClient } from '@nodewright/client';
import { machineStatuses, members } from '@nodewright/client/kinds';
import { parseTalosconfig } from '@nodewright/client/talosconfig';
import type { Telemetry } from '@nodewright/telemetry';

/** Reads what nodes say of themselves and of the members of their cluster. */
export interface MembersProbe {
  /** Resolves to the stage of the node behind `endpoint`, such as `running`. Throws when the call fails. */
  stage(endpoint: string, signal: AbortSignal): Promise<string>;
  /** Resolves to the addresses of the members that the node behind `endpoint` lists. Throws when the call fails. */
  addresses(endpoint: string, signal: AbortSignal): Promise<readonly string[]>;
}

/** Creates a probe that uses `@nodewright/client`, as users do. Each call has a connection of its own. */
export function openClientMembersProbe(talosconfig: string, telemetry: Telemetry): MembersProbe {
  const config = parseTalosconfig(talosconfig);
  const context = config.contexts.get(config.context);
  return {
    async stage(endpoint, signal) {
      using client = openTalosClient({ context, endpoints: [endpoint], telemetry });
      const { spec } = await client
        .firstEndpoint()
        .resources.get(machineStatuses, machineStatuses.singleton, { signal });
      return spec.stage;
    },
    async addresses(endpoint, signal) {
      using client = openTalosClient({ context, endpoints: [endpoint], telemetry });
      const listed = await client.firstEndpoint().resources.list(members, { signal });
      return listed.flatMap(({ spec }) => spec.addresses);
    },
  };
}
