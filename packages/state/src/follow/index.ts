export type { FollowedKind } from './follow-resources.ts';
export * from './follow-state.ts';
