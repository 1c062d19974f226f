// How far a node is with its upgrade, in the words of the page.
import { currentStep, type RolloutTurn } from '../../protocol/rollout.ts';

/** What the page shows of the nine steps of a node, each with the steps that it stands for. */
export const stages = [
  { name: 'turn', steps: ['quorum', 'turn'], word: 'waits for its turn' },
  { name: 'drain', steps: ['cordon', 'drain'], word: 'drains' },
  { name: 'write', steps: ['write'], word: 'writes' },
  { name: 'restart', steps: ['reboot'], word: 'restarts' },
  { name: 'check', steps: ['check', 'confirm'], word: 'checks' },
  { name: 'finish', steps: ['uncordon'], word: 'finishes' },
] as const;

export type TurnWord =
  | (typeof stages)[number]['word']
  | 'waiting'
  | 'gets ready'
  | 'done'
  | 'failed'
  | 'rolled back'
  | 'not known';

/** What a node does, or has done. */
export function turnWord(turn: RolloutTurn): TurnWord {
  switch (turn.state) {
    case 'waiting':
    case 'done':
      return turn.state;
    case 'failed':
      // In the words of the node, when its new system was left.
      return /\bsystem before\b/.test(turn.reason) ? 'rolled back' : 'failed';
    case 'acting':
      return actingWord(turn);
    default:
      return 'not known';
  }
}

function actingWord(turn: RolloutTurn): TurnWord {
  const current = currentStep(turn)?.name ?? '';
  if (current === '') return 'gets ready';
  return stages.find(({ steps }) => steps.some((step) => step === current))?.word ?? 'not known';
}
