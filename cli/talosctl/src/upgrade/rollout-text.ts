// The upgrade of all nodes, as people and programs see it.
import {
  NodeRole,
  type Rollout,
  type RolloutNode,
  type RolloutPreview,
} from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';

/** The roll-out as a document of `-o json`. */
export const rolloutDocument = (rollout: Rollout) => ({
  ...{ id: rollout.id, phase: rollout.phase, reason: rollout.reason, waitsFor: rollout.waitsFor },
  ...{ action: rollout.action, isSettled: rollout.isSettled },
  ...{ driver: rollout.driver, startedMs: Number(rollout.startedMs) },
  ...{ maxUnavailable: rollout.maxUnavailable, pauseAfter: rollout.pauseAfter },
  nodes: rollout.nodes.map(({ name, role, attempt, state, reason, spentMs }) => ({
    ...{ name, role: roleText(role), attempt, state, reason, spentMs: Number(spentMs) },
  })),
});

export const previewDocument = (rows: readonly RolloutPreview[]) =>
  rows.map(({ node, role, action, maxUnavailable, pausesAfter, refusedBy }) => ({
    ...{ node, role: roleText(role), action, maxUnavailable, pausesAfter, refusedBy },
  }));

export const previewHeader = ['NODE', 'ROLE', 'ACTION', 'MAX UNAVAILABLE', 'THEN', 'REFUSED BY'] as const;

export const previewRow = (row: RolloutPreview): string[] => [
  ...[row.node, roleText(row.role), row.action, String(row.maxUnavailable)],
  ...[row.pausesAfter ? 'pause' : 'go on', row.refusedBy],
];

export const rolloutHeader = ['NODE', 'ROLE', 'STATE', 'ATTEMPT', 'SECONDS', 'REASON'] as const;

export const rolloutRow = ({ name, role, state, attempt, spentMs, reason }: RolloutNode): string[] => [
  ...[name, roleText(role), state, String(attempt)],
  ...[state === 'acting' ? String(spentMs / 1000n) : '', reason],
];

/** One line about the whole roll-out. */
export function rolloutLine(rollout: Rollout): string {
  const { id, phase, reason, waitsFor, action, maxUnavailable, pauseAfter, isSettled, driver } = rollout;
  return [
    `roll-out ${id} is ${phase}${reason === '' ? '' : ` (${reason})`}: ${action}`,
    `at most ${maxUnavailable} unavailable`,
    ...(pauseAfter === 0 ? [] : [`pauses after ${pauseAfter}`]),
    ...beginText(rollout),
    ...(driver === '' ? [] : [`driven by ${driver}`]),
    ...(waitsFor === '' || (isSettled && phase === 'done') ? [] : [`waits for: ${waitsFor}`]),
  ].join('; ');
}

/** The latest time that can be written as a date. */
const latestMs = 8_640_000_000_000_000n;

/** Nodes of older versions do not tell it. */
const beginText = ({ startedMs }: Rollout): string[] =>
  startedMs === 0n || startedMs > latestMs ? [] : [`began at ${new Date(Number(startedMs)).toISOString()}`];

/** What has changed between two looks, one line each. */
export function changeLines(before: Rollout | undefined, after: Rollout): string[] {
  const isSame = before?.id === after.id;
  const known = new Map(isSame ? before.nodes.map((node) => [node.name, node]) : []);
  const lines = after.nodes.flatMap((node) => {
    const last = known.get(node.name);
    if (last?.state === node.state && last.attempt === node.attempt) return [];
    if (last === undefined && node.state === 'waiting') return [];
    return [`${node.name} ${stateText(node)}`];
  });
  if (!isSame) lines.unshift(`roll-out ${after.id}: ${after.action}`);
  if (after.phase !== (isSame ? before.phase : 'running'))
    lines.push(`the roll-out is ${after.phase}${after.reason === '' ? '' : `: ${after.reason}`}`);
  if (!after.isSettled && after.waitsFor !== '' && (!isSame || before.waitsFor !== after.waitsFor))
    lines.push(`waits for: ${after.waitsFor}`);
  return lines;
}

function stateText({ state, attempt, reason }: RolloutNode): string {
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  switch (state) {
    case 'waiting':
      return `waits for its turn${again}`;
    case 'acting':
      return `has its turn${again}`;
    case 'done':
      return 'is done';
    case 'failed':
      return `has failed: ${reason}`;
    default:
      return `is ${state}`;
  }
}

/** What a user can do about a roll-out that does not go on by itself; undefined when there is nothing. */
export function nextStep({ phase }: Rollout): string | undefined {
  if (phase === 'paused') return '"talosctl upgrade resume" goes on, "talosctl upgrade abort" ends it';
  if (phase !== 'stopped') return undefined;
  return 'no other node is touched: mend the node, then "talosctl upgrade resume" tries again, or "talosctl upgrade abort" ends it';
}

function roleText(role: NodeRole): string {
  if (role === NodeRole.NODE_ROLE_CONTROL_PLANE) return 'control-plane';
  return role === NodeRole.NODE_ROLE_WORKER ? 'worker' : 'unknown';
}
