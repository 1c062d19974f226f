// Decides what the keeper of a cluster does about containers that end. The engine restarts a container that
// crashed. It does not restart one that was killed with `docker kill`, whatever the restart policy is: the
// keeper does that. A container that was stopped on purpose (`docker stop`, `docker compose stop`) must stay
// stopped; only then does the engine report `stop` after `die`. A node that was shut down must stay down as
// well; its machined has then exited with code 0.
import { planRestart, type RestartHistory } from './plan-restart.ts';
import { isNodeService } from './stack-services.ts';

/** An event of the engine, or the state of a container that was read. Times are milliseconds since 1970. */
export type ContainerEvent = { readonly id: string; readonly service: string; readonly atMs: number } & (
  | { readonly kind: 'started' | 'stopped' | 'removed' }
  | { readonly kind: 'died'; readonly exitCode?: number }
  /** An attempt to start the container failed. */
  | { readonly kind: 'start-failed' }
  /**
   * The state was read; it need not have changed. `restarting`: the engine is about to start the container. `failed`: it has ended by itself,
   * with a failure or to be started again, and the engine does not start it.
   */
  | { readonly kind: 'seen'; readonly state: 'running' | 'restarting' | 'exited' | 'failed' }
);

/** The keeper's knowledge of one container. */
export interface KeptContainer {
  readonly service: string;
  readonly startedAtMs: number;
  readonly history: RestartHistory;
  /**
   * When to restart it, unless it runs by then; `undefined` while it runs, or after it was stopped on
   * purpose.
   */
  readonly dueAtMs: number | undefined;
  /** When it was stopped on purpose, 0 if the time is unknown; `undefined` when it is meant to run. */
  readonly stoppedAtMs: number | undefined;
}

/** All known containers, by container id. */
export type Kept = ReadonlyMap<string, KeptContainer>;

/** Returns the containers after an event. */
export function afterEvent(kept: Kept, event: ContainerEvent): Kept {
  const { id, service, atMs } = event;
  const known = kept.get(id);
  const set = (change: Partial<KeptContainer>): Kept =>
    new Map([...kept, [id, { ...(known ?? freshContainer(service, atMs)), ...change }]]);
  switch (event.kind) {
    case 'started':
      return set({ startedAtMs: atMs, dueAtMs: undefined, stoppedAtMs: undefined });
    case 'died':
      // The node was shut down through its API: machined exits with code 0 for no other reason.
      if (event.exitCode === 0 && isNodeService(service)) {
        return set({ history: { quickDeaths: 0 }, dueAtMs: undefined, stoppedAtMs: 0 });
      }
      return set(dueAgain(known ?? freshContainer(service, atMs), atMs));
    case 'stopped':
      return set({ history: { quickDeaths: 0 }, dueAtMs: undefined, stoppedAtMs: atMs });
    case 'removed':
      return new Map([...kept].filter(([other]) => other !== id));
    case 'start-failed':
      return set(dueAgain({ ...(known ?? freshContainer(service, atMs)), startedAtMs: atMs }, atMs));
    case 'seen':
      return afterLook(kept, event.state, known, set, event);
  }
}

/**
 * An engine that shuts down stops its containers first. The limit is longer than the engine waits for them.
 * It is short enough to leave out a container that a user has stopped earlier.
 */
const engineStopMs = 60_000;

/**
 * Returns the containers after the connection to the engine was lost. Containers that were stopped shortly
 * before were stopped by the engine, and are meant to run again. The engine restarts them itself, except
 * those whose network did not exist at that time.
 */
export function afterEngineLoss(kept: Kept, atMs: number): Kept {
  const isOfEngine = ({ stoppedAtMs }: KeptContainer) =>
    stoppedAtMs !== undefined && atMs - stoppedAtMs < engineStopMs;
  return new Map(
    [...kept].map(([id, container]) => [
      id,
      isOfEngine(container) ? { ...container, stoppedAtMs: undefined } : container,
    ]),
  );
}

/** Returns the containers to start now. Those whose network others share come first. */
export function dueContainers(kept: Kept, nowMs: number): { id: string; service: string }[] {
  return [...kept]
    .filter(([, { dueAtMs }]) => dueAtMs !== undefined && dueAtMs <= nowMs)
    .map(([id, { service }]) => ({ id, service }))
    .sort((a, b) => (a.service < b.service ? -1 : 1));
}

/** Returns the time of the next restart; `undefined` when none is planned. */
export function nextDueMs(kept: Kept): number | undefined {
  const times = [...kept.values()].map(({ dueAtMs }) => dueAtMs).filter((dueAtMs) => dueAtMs !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function afterLook(
  kept: Kept,
  state: 'running' | 'restarting' | 'exited' | 'failed',
  known: KeptContainer | undefined,
  set: (change: Partial<KeptContainer>) => Kept,
  { service, atMs }: Pick<ContainerEvent, 'service' | 'atMs'>,
): Kept {
  if (state === 'running') return set({ dueAtMs: undefined, stoppedAtMs: undefined });
  if (known === undefined && state === 'failed') return set(dueAgain(freshContainer(service, atMs), atMs));
  // First seen stopped: a user stopped it while no keeper was running.
  if (known === undefined)
    return set({ stoppedAtMs: state === 'exited' ? 0 : undefined, dueAtMs: undefined });
  if (known.stoppedAtMs !== undefined) return kept;
  if (known.dueAtMs !== undefined && known.dueAtMs > atMs) return kept;
  // Its death was missed, or the engine is about to restart it: check again after a delay.
  return set(dueAgain(known, atMs));
}

function dueAgain(known: KeptContainer, atMs: number): Partial<KeptContainer> {
  const { delayMs, history } = planRestart(known.history, atMs - known.startedAtMs);
  return { history, dueAtMs: atMs + delayMs, stoppedAtMs: undefined };
}

function freshContainer(service: string, atMs: number): KeptContainer {
  return {
    service,
    startedAtMs: atMs,
    history: { quickDeaths: 0 },
    dueAtMs: undefined,
    stoppedAtMs: undefined,
  };
}
