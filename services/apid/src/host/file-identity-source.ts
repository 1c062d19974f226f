import { watchFile } from '@nodewright/daemon';
import { faultFrom } from '@nodewright/fault';
import type { Logger } from '@nodewright/telemetry';
import { type GatewayIdentity, identityFromJson } from '../domain/gateway-identity.ts';
import type { IdentitySource } from '../domain/identity-source.ts';

/** Identity from the file that machined replaces. A file that is broken is logged and changes nothing. */
export class FileIdentitySource implements IdentitySource {
  readonly #path: string;
  readonly #log: Logger;

  constructor(path: string, log: Logger) {
    this.#path = path;
    this.#log = log;
  }

  async *changes(signal: AbortSignal): AsyncIterable<GatewayIdentity | undefined> {
    let known = false;
    for await (const content of watchFile(this.#path, { signal })) {
      if (content === undefined) {
        known = true;
        yield undefined;
        continue;
      }
      let identity: GatewayIdentity;
      try {
        identity = identityFromJson(Buffer.from(content).toString('utf8'));
      } catch (error) {
        const { message } = faultFrom(error);
        this.#log.error(
          { path: this.#path, error: message },
          'runtime file is not usable, keeping the last good one',
        );
        // The first value comes at once, whatever it is.
        if (!known) yield undefined;
        known = true;
        continue;
      }
      known = true;
      yield identity;
    }
  }
}
