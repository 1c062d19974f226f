import type { Option } from 'commander';
import { argumentSource } from './argument-values.ts';
import {
  type Candidate,
  filesDirective,
  listStartingWith,
  plainCandidates,
  startingWith,
} from './candidate.ts';
import type { CompletionRequest } from './completion-request.ts';
import { optionSource } from './option-values.ts';
import type { ValueSource } from './value-source.ts';

/** Candidates for the value of an option. */
export async function completeOptionValue(
  option: Option,
  typed: string,
  request: CompletionRequest,
): Promise<readonly Candidate[]> {
  return candidatesFrom(optionSource(request.command, option), typed, request);
}

/** Candidates for the next argument. */
export async function completeArgument(
  typed: string,
  request: CompletionRequest,
): Promise<readonly Candidate[]> {
  return candidatesFrom(argumentSource(request.command, request.args.length), typed, request);
}

async function candidatesFrom(
  source: ValueSource | undefined,
  typed: string,
  request: CompletionRequest,
): Promise<readonly Candidate[]> {
  if (source === undefined || source.kind === 'free') return [];
  if (source.kind === 'files') return [{ value: filesDirective }];
  const candidates =
    source.kind === 'dynamic' ? plainCandidates(await source.find(request, typed)) : source.candidates;
  return source.isList ? listStartingWith(typed, candidates) : startingWith(typed, candidates);
}
