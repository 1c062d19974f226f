/**
 * How far the latest connection attempt got. The HTTP/2 library reports every failure with the same text.
 * Which side ended the connection, and at which stage, shows whether the client or the server rejected the
 * other's certificate.
 */
export type ConnectionStage =
  /** No TCP connection exists yet. */
  | 'dial'
  /** TCP is connected, and the TLS handshake is in progress. */
  | 'handshake'
  /**
   * The client accepted the server's certificate. The server has not yet shown whether it accepts the
   * client's.
   */
  | 'presented';

/** The TLS layer records the progress here; the diagnosis reads it after a failure. */
export class ConnectionAttempt {
  stage: ConnectionStage = 'dial';
  /** The error that ended the attempt, if the TLS layer saw one. */
  error: Error | undefined;

  reached(stage: ConnectionStage): void {
    this.stage = stage;
    this.error = undefined;
  }

  failed(error: Error): void {
    this.error ??= error;
  }

  /** The cause, where the TLS layer has only seen that the connection ended. */
  explained(error: Error): void {
    this.error = error;
  }
}
