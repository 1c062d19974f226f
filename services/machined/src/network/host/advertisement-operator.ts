import type { Timers } from '@nodewright/async';
import { faultFrom } from '@nodewright/fault';
import type { AdvertisedOption } from '@nodewright/linux';
import type { ResolverSpecSpec } from '@nodewright/state/kinds';
import type { Logger } from '@nodewright/telemetry';
import type { AcceptingLink } from '../domain/accepting-links.ts';
import { advertisedNames } from '../domain/advertised-option.ts';
import {
  type AdvertisedState,
  advertisedOn,
  nextEndMs,
  nothingAdvertised,
  withAdvertised,
  withoutEnded,
} from '../domain/advertised-resolvers.ts';
import type { GivenSetting } from '../domain/dhcp-specs.ts';
import { linkNameServers } from '../domain/link-name-servers.ts';
import { resolverSpec } from '../domain/name-servers.ts';
import type { NetworkOperator, NetworkProblem, OperatorOutput } from '../domain/operator.ts';
import { ChangeListener } from './change-listener.ts';
import { LimitedLines } from './limited-lines.ts';

/** Watches the options of advertisements. @throws Fault */
export type WatchOptions = (events: {
  readonly onOption: (option: AdvertisedOption) => void;
  readonly onError: (error: unknown) => void;
}) => Disposable;

export interface AdvertisementOperatorInit {
  readonly watchOptions: WatchOptions;
  readonly timers: Pick<Timers, 'monotonicMs' | 'after'>;
  /** The addresses of this machine, which are no name servers of it. */
  readonly ownAddresses: () => readonly string[];
  /** What the command line says, which advertisements do not replace on a link that no document names. */
  readonly given: () => ReadonlySet<GivenSetting>;
  readonly log: Logger;
}

/** After the watch of the kernel has failed. */
const retryMs = 5000;
/** Lines about that. */
const failureLines = { most: 3, eachMs: 3_600_000 };
/**
 * Each change costs a pass over the names of the machine. So many may follow each other, and then one in each of these pauses, whatever
 * a host advertises.
 */
const mostChanges = 10;
const changePauseMs = 60_000;
/** A line about changes that wait, at most once in this time. */
const linesEachMs = 600_000;

/**
 * Name servers and search domains from routers' advertisements, as long as they live and the link accepts advertisements. Ends when it is
 * disposed of.
 */
export class AdvertisementOperator implements NetworkOperator, Disposable {
  readonly #init: AdvertisementOperatorInit;
  #state: AdvertisedState = nothingAdvertised;
  #accepting: ReadonlyMap<number, AcceptingLink> = new Map();
  #outputs: readonly OperatorOutput[] = [];
  readonly #listener = new ChangeListener();
  readonly #failureLines: LimitedLines;
  #watch: Disposable | undefined;
  #retry: Disposable | undefined;
  #timer: Disposable | undefined;
  #changes = { left: mostChanges, sinceMs: 0 };
  #isHeldBack = false;
  #saidMs = Number.NEGATIVE_INFINITY;

  constructor(init: AdvertisementOperatorInit) {
    this.#init = init;
    this.#failureLines = new LimitedLines(init.timers, failureLines);
    this.#changes.sinceMs = init.timers.monotonicMs();
    this.#open();
  }

  watch(onChange: () => void): Disposable {
    return this.#listener.watch(onChange);
  }

  /** The links that accept advertisements from now on. What others have advertised on their links is forgotten. */
  setAccepting(links: readonly AcceptingLink[]): void {
    this.#accepting = new Map(links.map((each) => [each.link.index, each]));
    this.#update();
  }

  /** Nothing of these events matters here. */
  react(): void {}

  outputs(): readonly OperatorOutput[] {
    return this.#outputs;
  }

  problems(): readonly NetworkProblem[] {
    return [];
  }

  [Symbol.dispose](): void {
    this.#watch?.[Symbol.dispose]();
    this.#retry?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
  }

  #open(): void {
    const { watchOptions, timers, log } = this.#init;
    const onError = (error: unknown) => {
      this.#watch?.[Symbol.dispose]();
      this.#watch = undefined;
      this.#failureLines.write(() =>
        log.warn({ error: faultFrom(error).message }, 'name servers of advertisements cannot be read'),
      );
      this.#retry = timers.after(retryMs, () => this.#open());
    };
    try {
      this.#watch = watchOptions({ onOption: (option) => this.#received(option), onError });
    } catch (error) {
      onError(error);
    }
  }

  #received({ linkIndex, bytes }: AdvertisedOption): void {
    if (!this.#accepting.has(linkIndex)) return;
    const names = advertisedNames(bytes);
    if (names === undefined) return;
    const nowMs = this.#init.timers.monotonicMs();
    this.#state = withAdvertised(this.#state, { linkIndex, names, nowMs });
    this.#update();
  }

  /** Forgets what has ended, and publishes what has changed, now or when it may. */
  #update(): void {
    const { timers, log } = this.#init;
    const nowMs = timers.monotonicMs();
    const isAccepting = (linkIndex: number) => this.#accepting.has(linkIndex);
    this.#state = withoutEnded(this.#state, { nowMs, isAccepting });
    const outputs = this.#computed();
    const hasChanged = JSON.stringify(outputs) !== JSON.stringify(this.#outputs);
    const mayChange = hasChanged && this.#mayChange(nowMs);
    if (mayChange) this.#outputs = outputs;
    this.#isHeldBack = hasChanged && !mayChange;
    if (this.#isHeldBack && nowMs - this.#saidMs >= linesEachMs) {
      this.#saidMs = nowMs;
      log.warn({}, 'routers advertise other name servers more often than is applied');
    }
    this.#timer?.[Symbol.dispose]();
    const dues = [
      nextEndMs(this.#state) ?? [],
      this.#isHeldBack ? this.#changes.sinceMs + changePauseMs : [],
    ].flat();
    const delayMs = Math.min(...dues) - nowMs;
    this.#timer = dues.length === 0 ? undefined : timers.after(delayMs, () => this.#update());
    if (mayChange) this.#listener.changed();
  }

  #mayChange(nowMs: number): boolean {
    const earned = Math.floor((nowMs - this.#changes.sinceMs) / changePauseMs);
    if (earned > 0) {
      const left = Math.min(mostChanges, this.#changes.left + earned);
      this.#changes = { left, sinceMs: this.#changes.sinceMs + earned * changePauseMs };
    }
    if (this.#changes.left === 0) return false;
    this.#changes.left -= 1;
    return true;
  }

  #computed(): OperatorOutput[] {
    const { ownAddresses, given } = this.#init;
    if (this.#state.length === 0) return [];
    const own = new Set(ownAddresses());
    const isGiven = given().has('resolvers');
    return [...this.#accepting.values()].flatMap(({ link, layer }) => {
      const isOfDocument = layer === 'configuration' || layer === 'platform';
      if (isGiven && !isOfDocument) return [];
      const nameServers = linkNameServers(advertisedOn(this.#state, link.index, 'servers'), link, own);
      const searchDomains = advertisedOn(this.#state, link.index, 'domains');
      if (nameServers.length + searchDomains.length === 0) return [];
      const resolvers: ResolverSpecSpec = { ...resolverSpec('operator', nameServers), searchDomains };
      return [{ prefix: `ra/${link.name}`, resolvers }];
    });
  }
}
