// What whatIf() says about busy nodes, beside the table of machined that decides it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type PlannedAction, whatIf } from '@nodewright/client/what-if';
import type { SequenceName } from '../../services/machined/src/life/domain/node-event.ts';
import { lockDecision } from '../../services/machined/src/life/domain/sequence-lock.ts';

/** The sequence that runs in each stage of a machine. */
const runningIn: Readonly<Record<string, SequenceName | undefined>> = {
  booting: 'boot',
  maintenance: 'initialize',
  running: undefined,
  rebooting: 'reboot',
  'shutting down': 'shutdown',
  resetting: 'reset',
  upgrading: 'upgrade',
};

const reset = { isGraceful: false, reboots: false, wiped: 'everything', userDisks: [] } as const;
const actions: readonly PlannedAction[] = [
  { kind: 'reboot', mode: 'default' },
  { kind: 'shutdown' },
  { kind: 'reset', ...reset },
];

test('whatIf() refuses in the stages in which machined does not start the sequence', () => {
  for (const action of actions) {
    const sequence = action.kind === 'service' ? 'reboot' : action.kind;
    for (const [stage, running] of Object.entries(runningIn)) {
      const facts = { nodes: [{ name: 'node01', etcd: 'none' as const, stage }], members: undefined };
      const isRefused = whatIf(action, facts).nodes.some(({ refusals }) => refusals.length > 0);
      const decision = lockDecision(running, sequence, action.kind === 'shutdown');
      assert.equal(isRefused, decision === 'locked', `${action.kind} while ${stage}`);
    }
  }
});
