import type { ServiceInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { secondsSince } from '../../render/go-time.ts';
import type { NodeModel } from '../model/model.ts';
import { type Span, type Style, span } from '../screen/frame.ts';
import { durationText } from './figures.ts';

/** The state of a node in one character. */
export function nodeMark({ reach, facts, sample }: NodeModel): Span {
  if (reach.kind === 'connecting') return span('·', 'dim');
  if (reach.kind === 'away') return span('✖', 'bad');
  const isWell = facts.status?.status.ready !== false && (sample?.services ?? []).every(isServiceWell);
  return isWell ? span('●', 'good') : span('▲', 'warning');
}

export function isServiceWell({ state, health }: ServiceInfo): boolean {
  if (health !== undefined && !health.unknown) return health.healthy;
  return ['Running', 'Finished', 'Skipped', ''].includes(state);
}

export function stageText({ facts }: NodeModel): Span {
  const { stage, status } = facts.status ?? {};
  if (stage === undefined) return span('stage unknown', 'dim');
  const isReady = status?.ready === true;
  return span(`${stage}${isReady ? '' : ', not ready'}`, isReady ? 'good' : 'warning');
}

export function uptimeText({ sample }: NodeModel, now: Date): string {
  const boot = Number(sample?.system?.bootTime ?? 0n);
  return boot === 0 ? '-' : durationText(now.getTime() / 1000 - boot);
}

export function serviceLook(service: ServiceInfo): Style {
  if (service.health?.unknown === false) return service.health.healthy ? 'good' : 'bad';
  if (service.state === 'Failed') return 'bad';
  return isServiceWell(service) ? 'plain' : 'warning';
}

export function healthText({ health }: ServiceInfo): string {
  if (health === undefined || health.unknown) return '?';
  return health.healthy ? 'OK' : 'Fail';
}

/** When the service last changed. */
export function serviceAge({ events }: ServiceInfo, now: Date): string {
  const last = events?.events.at(-1)?.ts;
  return last === undefined ? '-' : durationText(secondsSince(last, now));
}
