/**
 * How far the latest attempt to connect came. The HTTP/2 library reports every failure as one text; which side gave
 * up, and when, is what tells a wrong certificate of ours from a wrong one of theirs.
 */
export type ConnectionStage =
  /** No TCP connection yet. */
  | 'dial'
  /** TCP is open, TLS is being negotiated. */
  | 'handshake'
  /** We accepted the server's certificate; it has not yet said anything that proves it accepted ours. */
  | 'presented';

/** Watched by the TLS layer, read when a connection failed. */
export class ConnectionAttempt {
  stage: ConnectionStage = 'dial';
  /** What ended the attempt, when TLS noticed. */
  error: Error | undefined;

  reached(stage: ConnectionStage): void {
    this.stage = stage;
    this.error = undefined;
  }

  failed(error: Error): void {
    this.error ??= error;
  }
}
