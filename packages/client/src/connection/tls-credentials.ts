import type { Socket } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as tlsConnect } from 'node:tls';
import { CallCredentials, ChannelCredentials } from '@grpc/grpc-js';
import { establish, type TlsInit, tlsOptions } from './tls-connection.ts';

type SecureConnector = ReturnType<ChannelCredentials['_createSecureConnector']>;

/**
 * TLS credentials for one endpoint. The credentials of the library cannot dial an IP address on this version
 * of Node.js, because they require a server name. They also cannot check a fingerprint, nor report at which
 * stage TLS failed.
 */
export class TlsCredentials extends ChannelCredentials implements Disposable {
  readonly #init: TlsInit;
  readonly #options: ConnectionOptions;
  readonly #sockets = new Set<TLSSocket>();

  constructor(init: TlsInit) {
    super();
    this.#init = init;
    this.#options = tlsOptions(init);
  }

  override _isSecure(): boolean {
    return true;
  }

  override _equals(other: ChannelCredentials): boolean {
    return this === other;
  }

  override _createSecureConnector(
    _target: unknown,
    _options: unknown,
    calls?: CallCredentials,
  ): SecureConnector {
    return {
      connect: async (socket) => ({ socket: await this.#connect(socket), secure: true }),
      waitForReady: async () => {},
      getCallCredentials: () => calls ?? CallCredentials.createEmpty(),
      destroy: () => {},
    };
  }

  #connect(socket: Socket): Promise<TLSSocket> {
    this.#init.attempt.reached('handshake');
    const secured = tlsConnect({ ...this.#options, socket });
    this.#sockets.add(secured);
    secured.once('close', () => this.#sockets.delete(secured));
    return establish(secured, this.#init);
  }

  /**
   * Destroys the open sockets. The library closes established connections, but not those still in a
   * handshake.
   */
  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
