export { decideTurn, type TurnDecision, type TurnFacts } from './domain/decide-turn.ts';
export type { Wellness } from './domain/wellness.ts';
export { type ActInTurnInit, actInTurn, type TurnOutcome, type TurnTimes } from './host/act-in-turn.ts';
export { type TakeTurnInit, type Turn, takeTurn } from './host/turn.ts';
