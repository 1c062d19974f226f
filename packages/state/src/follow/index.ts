export { dialState } from './dial-state.ts';
export type { FollowedKind, StateWatcher } from './follow-resources.ts';
export * from './follow-state.ts';
