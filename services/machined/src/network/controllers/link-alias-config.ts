import { type Controller, exclusive, type ReconcilePass, weak } from '@nodewright/controllers';
import { Fault, faultFrom } from '@nodewright/fault';
import { ConfigReader } from '@nodewright/machine-config';
import type { Selection, SelectorCandidate } from '@nodewright/machine-config/selectors';
import { pointerTo } from '@nodewright/state';
import { devicesStatuses, linkAliasSpecs, linkStatuses, machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, configurationOf } from '../../base/controllers/configuration-of.ts';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import {
  type AliasChoice,
  type AliasDocument,
  aliasCandidates,
  aliasDocuments,
  assignAliases,
  maxAliasDocuments,
} from '../domain/link-aliases.ts';
import { SelectionMemory } from '../domain/selection-memory.ts';
import { withinLimit } from '../domain/within-limit.ts';
import { presentLinks } from './device-config.ts';
import type { NetworkProblems } from './network-problems.ts';

export interface LinkAliasConfigInit {
  readonly selectors: SelectorEvaluator;
  readonly problems: NetworkProblems;
}

/** Time of all evaluations of one pass. The selectors after it are not evaluated. */
const budgetMs = 20_000;
/** Links may change all the time, and anybody may send an expensive selector in maintenance. */
const pauseMs = 1000;
/** Pause after an evaluation, as a multiple of the time that it took. */
const pauseFactor = 4;
/** What was not evaluated is tried again. */
const retryMs = 60_000;

/**
 * The aliases that the documents give to physical links. It waits until all devices are known, because some selectors match what has no
 * driver yet. A document whose selector cannot be evaluated, or matches others again and again, keeps the links that it had. Source: Talos v1.14:
 * network.LinkAliasConfigController.
 */
export function createLinkAliasConfigController({ selectors, problems }: LinkAliasConfigInit): Controller {
  const name = 'network.LinkAliasConfigController';
  const memory = new SelectionMemory();
  let last: Evaluation = { key: '', choices: [], isWhole: true, nextMs: Number.NEGATIVE_INFINITY };
  /** When a document that keeps its links is evaluated again. */
  let heldUntilMs: number | undefined;
  const say = (lines: readonly string[]) =>
    problems.set(
      name,
      lines.map((line) => ({ subject: 'others', line })),
    );
  return {
    name,
    inputs: [weak(machineConfigs, activeConfigId), weak(linkStatuses), weak(devicesStatuses)],
    outputs: [exclusive(linkAliasSpecs)],
    async reconcile(pass) {
      if ((await pass.get(pointerTo(devicesStatuses)))?.spec.ready !== true) return;
      const waiting: string[] = [];
      const limit = { limit: maxAliasDocuments, what: 'LinkAliasConfig documents' };
      const reader = new ConfigReader((await configurationOf(pass))?.documents ?? []);
      const documents = withinLimit(aliasDocuments(reader), limit, waiting);
      const links = await presentLinks(pass);
      const candidates = aliasCandidates(links);
      memory.keepOnly(documents);
      const key = JSON.stringify([documents, candidates]);
      const startMs = pass.monotonicMs();
      const isDue = documents.length === 0 || startMs >= last.nextMs;
      const isReleased = heldUntilMs !== undefined && startMs >= heldUntilMs;
      if (isDue && (key !== last.key || !last.isWhole || isReleased)) {
        const { choices, isWhole } = await choose(pass, selectors, { documents, candidates, memory });
        const endMs = pass.monotonicMs();
        const restMs = Math.max(isWhole ? pauseMs : retryMs, pauseFactor * (endMs - startMs));
        last = { key, choices, isWhole, nextMs: endMs + restMs };
        heldUntilMs = memory.nextMs(endMs);
      }
      const dues = [
        ...(key !== last.key || !last.isWhole ? [last.nextMs] : []),
        ...(heldUntilMs === undefined ? [] : [Math.max(heldUntilMs, last.nextMs)]),
      ];
      for (const dueMs of dues) pass.wakeAfter(Math.max(0, dueMs - pass.monotonicMs()));
      const { aliases, problems: lines } = assignAliases(
        last.choices,
        new Set(links.map((link) => link.name)),
      );
      await pass.replace(
        linkAliasSpecs,
        [...aliases].map(([id, alias]) => ({ id, spec: { alias } })),
      );
      say([...waiting, ...memory.problems(pass.monotonicMs()), ...lines]);
    },
  };
}

interface Evaluation {
  /** Of what was evaluated. */
  readonly key: string;
  readonly choices: readonly AliasChoice[];
  /** Whether nothing has to be tried again. */
  readonly isWhole: boolean;
  /** When the next evaluation may begin. */
  readonly nextMs: number;
}

interface Choosing {
  readonly documents: readonly AliasDocument[];
  readonly candidates: readonly SelectorCandidate[];
  readonly memory: SelectionMemory;
}

/** Evaluates the selectors, one after the other. */
async function choose(
  pass: ReconcilePass,
  selectors: SelectorEvaluator,
  { documents, candidates, memory }: Choosing,
): Promise<Pick<Evaluation, 'choices' | 'isWhole'>> {
  const present = new Set(candidates.map((candidate) => candidate.name));
  const endMs = pass.monotonicMs() + budgetMs;
  const choices: AliasChoice[] = [];
  let isWhole = true;
  for (const document of documents) {
    const held = memory.held(document, present, pass.monotonicMs());
    if (held !== undefined) {
      choices.push({ name: document.name, selection: held });
      continue;
    }
    const request = { environment: 'link' as const, expression: document.expression, candidates };
    const evaluate = async (): Promise<Selection> => {
      try {
        if (pass.monotonicMs() < endMs) return await selectors.select(request, pass.signal);
        throw new Fault('resource-exhausted', `the selectors before it took ${budgetMs / 1000} s`);
      } catch (error) {
        if (pass.signal.aborted) throw error;
        isWhole = false;
        return { problem: faultFrom(error).message };
      }
    };
    const selection = await evaluate();
    const facts = { present, nowMs: pass.monotonicMs() };
    choices.push({ name: document.name, selection: memory.settle(document, selection, facts) });
  }
  return { choices, isWhole };
}
