import { EncodedMessage } from '@nodewright/contract';
import type { CompatServiceDefinition } from 'nice-grpc';

interface Codec {
  encode(message: never): { finish(): Uint8Array };
  fromPartial(message: never): unknown;
}

/** The same service, whose handlers may also respond with an `EncodedMessage`. */
export function withEncodedMessages<Service extends CompatServiceDefinition>(definition: Service): Service {
  if (!('methods' in definition)) return definition;
  const methods = Object.entries(definition.methods as Record<string, { responseType: Codec }>).map(
    ([key, method]) => [key, { ...method, responseType: passingEncoded(method.responseType) }] as const,
  );
  return { ...definition, methods: Object.fromEntries(methods) };
}

function passingEncoded(codec: Codec): Codec {
  return {
    ...codec,
    encode: (message) => {
      const given: unknown = message;
      return given instanceof EncodedMessage ? { finish: () => given.bytes } : codec.encode(message);
    },
    fromPartial: (message) => {
      const given: unknown = message;
      return given instanceof EncodedMessage ? given : codec.fromPartial(message);
    },
  };
}
