import type { ServerMiddleware } from 'nice-grpc';

/**
 * Ends one call in each turn of the event loop, in the order in which they were ready. Calls that share one piece of work are ready in the
 * same moment. Without this, the event loop sends all their answers, and then reads all the requests that follow them, before it does
 * anything else: a few hundred calls of one client make everything else in the daemon wait for as many answers. A call that is ready alone
 * does not wait.
 *
 * @param onNextTurn calls back once the event loop has done what else is due, or after a pause, which also limits how much of a processor
 * such calls take
 */
export function createAnswerTurns(
  onNextTurn: (action: () => void) => void = (action) => void setImmediate(action),
): ServerMiddleware {
  const line: (() => void)[] = [];
  let hasEnded = false;
  const begin = () => {
    hasEnded = true;
    onNextTurn(() => {
      hasEnded = false;
      const next = line.shift();
      if (next === undefined) return;
      begin();
      next();
    });
  };
  const turn = (): Promise<void> | undefined => {
    if (hasEnded) return new Promise((resolve) => line.push(resolve));
    begin();
    return undefined;
  };
  return async function* answerTurns(call, context) {
    try {
      return yield* call.next(call.request, context);
    } finally {
      await turn();
    }
  };
}
