import type { TurnServiceImplementation } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import type { NodeRole } from '@nodewright/rollout';
import { isPlannableImage } from '../domain/rollout-action.ts';
import { messageOfRole, turnOfMessage } from '../domain/turn-of-message.ts';
import type { OwnTurns } from '../host/own-turns.ts';

export interface TurnServiceInit {
  readonly turns: OwnTurns;
  readonly role: () => NodeRole | undefined;
  /** Why this node is not well; undefined when it is. */
  readonly illness: () => Promise<string | undefined>;
  /** Why this node cannot have an image that no registry has; undefined for any other. */
  readonly lacks: (image: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** Implements TurnService: the drivers of roll-outs call it. */
export function createTurnService({
  turns,
  role,
  illness,
  lacks,
}: TurnServiceInit): TurnServiceImplementation {
  return {
    async progress({ turn, keepsOthersAway, image }, { signal }) {
      if (image !== '' && !isPlannableImage(image))
        throw new Fault('invalid-argument', 'the image is not a reference');
      const { state, reason } = turns.progress(turnOfMessage(turn), keepsOthersAway);
      const own = role();
      return {
        ...{ state, reason, illness: (await illness()) ?? '' },
        lacks: image === '' ? '' : ((await lacks(image, signal)) ?? ''),
        role: own === undefined ? 0 : messageOfRole(own),
      };
    },
    async prepare({ turn, image, allowDowngrade, withoutExtensions }) {
      const named = turnOfMessage(turn);
      if (!isPlannableImage(image)) throw new Fault('invalid-argument', 'the image is not a reference');
      const wanted = { image, allowsDowngrade: allowDowngrade, dropsExtensions: withoutExtensions };
      return { ticket: turns.prepare(named, wanted) ?? Buffer.alloc(0) };
    },
    async begin({ turn, ticket }, { signal }) {
      await turns.begin(turnOfMessage(turn), ticket, signal);
      return {};
    },
    async withdraw({ turn }) {
      return { state: turns.withdraw(turnOfMessage(turn)) };
    },
  };
}
