import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

/** How many messages of a call may be queued for the socket: the same number as the library queues itself. */
const messagesAhead = 16;

/**
 * Takes the next message before the previous one is written to the socket. The library waits for each write,
 * which costs a frame, a system call and a turn of the event loop per message, here and in every proxy on the
 * way. Queued messages are written together.
 */
class SendAheadCall extends ServerInterceptingCall {
  #waiting = 0;
  #goOn: (() => void) | undefined;

  override sendMessage(message: unknown, goOn: () => void): void {
    this.#waiting += 1;
    super.sendMessage(message, () => {
      this.#waiting -= 1;
      const next = this.#goOn;
      this.#goOn = undefined;
      next?.();
    });
    if (this.#waiting < messagesAhead) goOn();
    else this.#goOn = goOn;
  }
}

/**
 * For a server whose streams consist of many small messages. A slow reader still slows its stream down. Unary
 * calls are unchanged: for them this would cost more than it saves.
 */
export const sendAhead: ServerInterceptor = ({ responseStream }, call) =>
  responseStream ? new SendAheadCall(call) : (call as ServerInterceptingCall);
