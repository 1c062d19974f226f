import { methodRule } from '@nodewright/contract';
import type { GrpcStatus } from '@nodewright/h2';
import { EndlessCall, endlessLimits } from '../domain/endless-calls.ts';
import type { CallRecord, CallTarget } from './call-record.ts';
import type { Chain } from './chain.ts';

/**
 * Ends the calls of a closed listener that have no end of their own, each as soon as what was published before has been sent. Without it
 * every reboot waits for the watchers of the node as long as for a download. A client that does not read, such as one whose output is held
 * by a pager, would also hold the status back: its call is reset, and its connection closed when it carries no other call.
 *
 * @returns ends the looking
 */
export function endEndlessCalls(active: Chain<CallRecord>, status: GrpcStatus): () => void {
  const endless = new Map<CallRecord, EndlessCall>();
  const timers = new Set<NodeJS.Timeout>();
  const later = (act: () => void) => {
    timers.add(setTimeout(act, endlessLimits.unreadMs));
  };
  const end = (call: CallRecord, target: CallTarget) => {
    target.abort(status);
    later(() => {
      if (call.resetUnsent()) later(() => call.closeIdleConnection());
    });
  };
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
      if (judged.isOver(target.progress())) end(call, target);
    }
  };
  const looking = setInterval(look, endlessLimits.lookMs);
  return () => {
    clearInterval(looking);
    for (const timer of timers) clearTimeout(timer);
  };
}
