// What a cluster's keeper does about containers that end. The engine starts a container again that crashed, and leaves
// one alone that was killed through it (`docker kill`), whatever its restart policy says. A container that was stopped
// (`docker stop`, `docker compose stop`) is meant to stay so; only then the engine tells of a `stop` after the `die`. So is
// a node that was shut down: its machined has ended by itself, and well.
import { planRestart, type RestartHistory } from './plan-restart.ts';

/** What the engine, or a look at it, says of one container. Times are milliseconds since 1970. */
export type ContainerEvent = { readonly id: string; readonly service: string; readonly atMs: number } & (
  | { readonly kind: 'started' | 'stopped' | 'removed' }
  | { readonly kind: 'died'; readonly exitCode?: number }
  /** An attempt to start it did not succeed. */
  | { readonly kind: 'start-failed' }
  /** A look, not a change. `restarting`: the engine itself is about to start it. */
  | { readonly kind: 'seen'; readonly state: 'running' | 'restarting' | 'exited' }
);

/** One container as its keeper knows it. */
export interface KeptContainer {
  readonly service: string;
  readonly startedAtMs: number;
  readonly history: RestartHistory;
  /** When it is to be started again, unless it runs by then; undefined while it runs, or was stopped on purpose. */
  readonly dueAtMs: number | undefined;
  /** When it was stopped on purpose, 0 for an unknown time; undefined when it is to run. */
  readonly stoppedAtMs: number | undefined;
}

/** By container id. */
export type Kept = ReadonlyMap<string, KeptContainer>;

/** What is known after an event. */
export function afterEvent(kept: Kept, event: ContainerEvent): Kept {
  const { id, service, atMs } = event;
  const known = kept.get(id);
  const set = (change: Partial<KeptContainer>): Kept =>
    new Map([...kept, [id, { ...(known ?? freshContainer(service, atMs)), ...change }]]);
  switch (event.kind) {
    case 'started':
      return set({ startedAtMs: atMs, dueAtMs: undefined, stoppedAtMs: undefined });
    case 'died':
      // A machine that was shut down through its API: nothing but that ends machined well.
      if (event.exitCode === 0 && isMachine(kept, service)) {
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
      return afterLook(kept, event.state, known, set, atMs);
  }
}

/** Whether the service is the machined of a node: others live in its network. */
function isMachine(kept: Kept, service: string): boolean {
  return [...kept.values()].some((other) => other.service === `${service}-apid`);
}

/** An engine that ends stops its containers first. More than it grants them, less than people take. */
const engineStopMs = 60_000;

/**
 * What is known once the engine has gone away: what was stopped just before was stopped by it, and is to run again. It
 * does so itself when it comes back, except for containers whose network was not there yet.
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

/** The containers that are to be started now: those whose network others share come first. */
export function dueContainers(kept: Kept, nowMs: number): { id: string; service: string }[] {
  return [...kept]
    .filter(([, { dueAtMs }]) => dueAtMs !== undefined && dueAtMs <= nowMs)
    .map(([id, { service }]) => ({ id, service }))
    .sort((a, b) => (a.service < b.service ? -1 : 1));
}

/** When there is something to do next; undefined when nothing is planned. */
export function nextDueMs(kept: Kept): number | undefined {
  const times = [...kept.values()].map(({ dueAtMs }) => dueAtMs).filter((dueAtMs) => dueAtMs !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function afterLook(
  kept: Kept,
  state: 'running' | 'restarting' | 'exited',
  known: KeptContainer | undefined,
  set: (change: Partial<KeptContainer>) => Kept,
  atMs: number,
): Kept {
  if (state === 'running') return set({ dueAtMs: undefined, stoppedAtMs: undefined });
  // Found stopped at the first look: someone wanted it so while nobody watched.
  if (known === undefined)
    return set({ stoppedAtMs: state === 'exited' ? 0 : undefined, dueAtMs: undefined });
  if (known.stoppedAtMs !== undefined) return kept;
  if (known.dueAtMs !== undefined && known.dueAtMs > atMs) return kept;
  // Its end was missed, or the engine is at it: look again before doing anything.
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
