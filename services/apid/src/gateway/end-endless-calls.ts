import { methodRule } from '@nodewright/contract';
import type { GrpcStatus } from '@nodewright/h2';
import { EndlessCall, endlessLimits } from '../domain/endless-calls.ts';
import type { CallRecord } from './call-record.ts';
import type { Chain } from './chain.ts';

/**
 * Ends the calls of a closed listener that have no end of their own, each as soon as what was published before has been sent. Without it
 * every reboot waits for the watchers of the node as long as for a download.
 *
 * @returns ends the looking
 */
export function endEndlessCalls(active: Chain<CallRecord>, status: GrpcStatus): () => void {
  const endless = new Map<CallRecord, EndlessCall>();
  const look = () => {
    for (const call of active.all()) {
      const rule = methodRule(call.path)?.endless;
      const { target, follow } = call;
      // A download has its end.
      if (rule === undefined || target === undefined || follow?.follows === false) continue;
      const kind = rule === 'always' || follow?.follows === true ? 'always' : 'while-silent';
      const known = endless.get(call);
      // The request of a call whose node is being dialled comes later.
      const judged = known?.kind === kind ? known : new EndlessCall(kind);
      endless.set(call, judged);
      if (judged.isOver(target.progress())) target.abort(status);
    }
  };
  const looking = setInterval(look, endlessLimits.lookMs);
  return () => clearInterval(looking);
}
