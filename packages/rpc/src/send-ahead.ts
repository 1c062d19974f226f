import { ServerInterceptingCall, type ServerInterceptor } from '@grpc/grpc-js';

/** How many messages of a call may wait for the socket: as many as the library lets wait for their turn before that. */
const messagesAhead = 16;

/**
 * Takes the next message before the one before is in the socket. The library waits for each, which is a frame, a
 * system call and a turn of the event loop for each message, here and with everyone that the stream goes through; what
 * waits together goes out together.
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
 * For a server whose streams consist of many small messages. A reader that is slow still slows its stream down. Calls
 * with one answer stay as they are: for them this would cost more than it saves.
 */
export const sendAhead: ServerInterceptor = ({ responseStream }, call) =>
  responseStream ? new SendAheadCall(call) : (call as ServerInterceptingCall);
