// Streams of bytes use messages of 1 KiB, so copying a node's files sends a hundred thousand messages. The
// generated code for `common.Data` builds each message from parts and copies its bytes four times before the
// socket.
import { Data } from '@nodewright/contract/gen/common/common.ts';
import type { CompatServiceDefinition } from 'nice-grpc';

type Message = Partial<Data>;
interface Codec {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Data;
  fromPartial(message: Message): Message;
}

const bytesTag = (2 << 3) | 2;
/** A length from here on needs a third byte. */
const twoByteLength = 1 << 14;

/**
 * Codec of `common.Data`: a fast path for messages with only a few bytes, the generated code for all others.
 */
export const byteMessages: Codec = {
  fromPartial: (message) => message,
  encode(message) {
    const { metadata, bytes } = message;
    if (
      metadata !== undefined ||
      bytes === undefined ||
      bytes.length === 0 ||
      bytes.length >= twoByteLength
    ) {
      return Data.encode(Data.fromPartial(message));
    }
    const { length } = bytes;
    const headBytes = length < 0x80 ? 2 : 3;
    const encoded = Buffer.allocUnsafe(headBytes + length);
    encoded[0] = bytesTag;
    encoded[1] = headBytes === 2 ? length : (length & 0x7f) | 0x80;
    if (headBytes === 3) encoded[2] = length >>> 7;
    encoded.set(bytes, headBytes);
    return { finish: () => encoded };
  },
  /** The returned bytes share the memory of the message. */
  decode(message) {
    const [tag, low = 0, high = 0] = message;
    const headBytes = low < 0x80 ? 2 : 3;
    const length = headBytes === 2 ? low : (low & 0x7f) | (high << 7);
    // A message with a three-byte length is one byte longer than one with a two-byte length.
    if (tag !== bytesTag || message.length !== headBytes + length) return Data.decode(message);
    const { buffer, byteOffset } = message;
    return { metadata: undefined, bytes: Buffer.from(buffer, byteOffset + headBytes, length) };
  },
};

/** The same service, with the fast codec wherever it responds with `common.Data`. */
export function withByteMessages<Service extends CompatServiceDefinition>(definition: Service): Service {
  if (!('methods' in definition)) return definition;
  const methods = Object.entries(definition.methods as Record<string, { responseType: unknown }>).map(
    ([key, method]) =>
      [key, method.responseType === Data ? { ...method, responseType: byteMessages } : method] as const,
  );
  return { ...definition, methods: Object.fromEntries(methods) };
}
