import { faultFrom } from '@nodewright/fault';
import { putResource, type State } from '@nodewright/state';
import { members } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import { memberOwner, memberResources } from '../domain/node-resources.ts';
import type { MembershipSource } from '../host/membership-file.ts';

/** Keeps the members of the cluster as the membership tells them, until it is disposed. */
export function followMembers(
  state: State,
  membership: MembershipSource,
  ownHostname: string,
  log: Logger,
): AsyncDisposable {
  const stop = new AbortController();
  const follow = async () => {
    while (!stop.signal.aborted) {
      const changed = membership.nextChange(stop.signal);
      await reconcile(state, membership, ownHostname).catch((error: unknown) => {
        log.error({ error: faultFrom(error).message }, 'members cannot be kept');
      });
      await changed;
    }
  };
  const ended = follow();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

async function reconcile(state: State, membership: MembershipSource, ownHostname: string): Promise<void> {
  const options = { owner: memberOwner };
  const wanted = memberResources(membership.current(), ownHostname);
  for (const resource of wanted) await putResource(state, resource, options);
  const ids = new Set(wanted.map(({ id }) => id));
  for (const { metadata } of await state.list(members)) {
    if (!ids.has(metadata.id)) await state.destroy(metadata, options);
  }
}
