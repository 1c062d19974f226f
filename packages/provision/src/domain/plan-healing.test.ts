import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  afterEngineLoss,
  afterEvent,
  type ContainerEvent,
  dueContainers,
  type Kept,
  nextDueMs,
} from './plan-healing.ts';

type EventInput = {
  kind: ContainerEvent['kind'];
  id?: string;
  state?: 'running' | 'restarting' | 'exited';
  atMs: number;
};

/** Applies the events in order. They concern container `a` unless they name another. */
function after(...events: EventInput[]): Kept {
  return events.reduce<Kept>(
    (kept, { id = 'a', ...event }) =>
      afterEvent(kept, { id, service: `node-${id}`, ...event } as ContainerEvent),
    new Map(),
  );
}
const isDue = (kept: Kept, nowMs: number) => dueContainers(kept, nowMs).length > 0;
const minute = 60_000;

test('afterEvent() plans to restart a killed container after one second', () => {
  const kept = after({ kind: 'seen', state: 'running', atMs: 0 }, { kind: 'died', atMs: minute });
  assert.deepEqual([isDue(kept, minute + 999), isDue(kept, minute + 1000)], [false, true]);
  assert.equal(nextDueMs(kept), minute + 1000);
});

test('afterEvent() does not restart a container that was stopped or removed', () => {
  const died: EventInput[] = [
    { kind: 'started', atMs: 0 },
    { kind: 'died', atMs: minute },
  ];
  for (const kind of ['stopped', 'removed'] as const)
    assert.equal(nextDueMs(after(...died, { kind, atMs: minute + 5 })), undefined, kind);
  const stopped = after(...died, { kind: 'stopped', atMs: minute + 5 });
  assert.equal(
    nextDueMs(
      afterEvent(stopped, { kind: 'seen', state: 'exited', id: 'a', service: 'node-a', atMs: 2 * minute }),
    ),
    undefined,
  );
});

test('afterEvent() keeps a stopped container running again after a manual start', () => {
  const kept = after(
    { kind: 'died', atMs: 0 },
    { kind: 'stopped', atMs: 1 },
    { kind: 'started', atMs: minute },
    { kind: 'died', atMs: 2 * minute },
  );
  assert.equal(nextDueMs(kept), 2 * minute + 1000);
});

test('afterEvent() leaves a container to the engine when the engine restarts it', () => {
  const kept = after(
    { kind: 'started', atMs: 0 },
    { kind: 'died', atMs: 10 },
    { kind: 'started', atMs: 200 },
  );
  assert.equal(nextDueMs(kept), undefined);
});

test('afterEvent() doubles the delay of a container that keeps failing, up to 30 seconds', () => {
  let kept = after({ kind: 'started', atMs: 0 });
  const delays: number[] = [];
  for (let atMs = 1; delays.length < 7; atMs = (nextDueMs(kept) ?? 0) + 10) {
    const kind = delays.length % 2 === 0 ? 'died' : 'start-failed';
    kept = afterEvent(kept, { kind, id: 'a', service: 'node-a', atMs });
    delays.push((nextDueMs(kept) ?? 0) - atMs);
    if (kind === 'died') continue;
    kept = afterEvent(kept, {
      kind: 'started',
      id: 'a',
      service: 'node-a',
      atMs: (nextDueMs(kept) ?? 0) + 5,
    });
    kept = afterEvent(kept, { kind: 'died', id: 'a', service: 'node-a', atMs: atMs + 6 });
  }
  assert.ok(
    delays.every((delay, index) => index === 0 || delay >= (delays[index - 1] ?? 0)),
    delays.join(),
  );
  assert.equal(delays.at(-1), 30_000);
});

test('afterEvent() does not start a container first seen stopped, but restarts one whose death it missed', () => {
  assert.equal(nextDueMs(after({ kind: 'seen', state: 'exited', atMs: 0 })), undefined);
  const missed = after({ kind: 'started', atMs: 0 }, { kind: 'seen', state: 'exited', atMs: minute });
  assert.equal(nextDueMs(missed), minute + 1000);
});

test('afterEngineLoss() plans to restart containers that the engine has just stopped, unless they run again', () => {
  const stopped = (atMs: number): EventInput[] => [
    { kind: 'started', atMs: 0 },
    { kind: 'died', atMs },
    { kind: 'stopped', atMs },
  ];
  const seenAfterLoss = (stoppedAtMs: number, state: 'running' | 'exited') => {
    const kept = afterEngineLoss(after(...stopped(stoppedAtMs)), 5 * minute);
    return nextDueMs(afterEvent(kept, { kind: 'seen', state, id: 'a', service: 'node-a', atMs: 6 * minute }));
  };
  const justBefore = 5 * minute - 10_000;
  assert.deepEqual(
    [
      seenAfterLoss(justBefore, 'exited'),
      seenAfterLoss(justBefore, 'running'),
      seenAfterLoss(minute, 'exited'),
    ],
    [6 * minute + 1000, undefined, undefined],
  );
});

test('afterEvent() does not postpone a planned restart when the state is read', () => {
  const kept = after(
    { kind: 'started', atMs: 0 },
    { kind: 'died', atMs: minute },
    { kind: 'seen', state: 'exited', atMs: minute + 500 },
  );
  assert.equal(nextDueMs(kept), minute + 1000);
});

test('dueContainers() puts containers first whose network others share', () => {
  const kept = new Map(
    ['node01-apid', 'node01', 'node01-trustd'].flatMap((service) => [
      ...afterEvent(new Map(), { kind: 'died', id: service, service, atMs: 0 }),
    ]),
  );
  assert.deepEqual(
    dueContainers(kept, minute).map(({ service }) => service),
    ['node01', 'node01-apid', 'node01-trustd'],
  );
});

test('afterEvent() leaves a node off after a shutdown, even after the loss of the engine, until a user starts it', () => {
  const [node, apid] = [
    { id: 'n', service: 'node01' },
    { id: 'a', service: 'node01-apid' },
  ];
  const running = [node, apid].reduce<Kept>(
    (kept, container) => afterEvent(kept, { ...container, kind: 'started', atMs: 0 }),
    new Map(),
  );
  const off = afterEvent(running, { ...node, kind: 'died', exitCode: 0, atMs: minute });
  assert.equal(nextDueMs(off), undefined);
  const back = afterEngineLoss(off, minute + 1);
  const seen = afterEvent(back, { ...node, kind: 'seen', state: 'exited', atMs: 2 * minute });
  assert.equal(nextDueMs(seen), undefined);
  const started = afterEvent(seen, { ...node, kind: 'started', atMs: 3 * minute });
  const rebooted = afterEvent(started, { ...node, kind: 'died', exitCode: 70, atMs: 4 * minute });
  assert.equal(nextDueMs(rebooted), 4 * minute + 1000);
  // Every other container is meant to run permanently.
  const ended = afterEvent(running, { ...apid, kind: 'died', exitCode: 0, atMs: minute });
  assert.equal(nextDueMs(ended), minute + 1000);
});
