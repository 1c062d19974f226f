import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const port = 53;
const headerBytes = 12;
/** The longest message over UDP without extensions. Source: RFC 1035, 2.3.4. */
const longestMessage = 512;
const addressType = 1;
const timeToLiveSeconds = 60;

/**
 * Answers every question for an IPv4 address with `answer`, and every other one with no record. Resolves when it
 * listens; the caller disposes of it.
 *
 * @param address the IPv4 address to listen on
 */
export async function openNameServer(address: string, answer: string): Promise<AsyncDisposable> {
  const socket = createSocket('udp4');
  socket.on('message', (question, sender) => {
    const reply = replyTo(question, answer);
    if (reply !== undefined) socket.send(reply, sender.port, sender.address, () => {});
  });
  socket.bind(port, address);
  await once(socket, 'listening');
  return socket;
}

/** The reply to a message with one question; undefined for any other message. Source: RFC 1035, 4.1. */
export function replyTo(message: Buffer, answer: string): Buffer | undefined {
  if (message.length < headerBytes || message.length > longestMessage) return undefined;
  const isQuery = (message.readUInt16BE(2) & 0xf800) === 0;
  const questions = message.readUInt16BE(4);
  const end = endOfName(message);
  if (!isQuery || questions !== 1 || end === undefined || end + 4 > message.length) return undefined;
  const question = message.subarray(headerBytes, end + 4);
  const isAnswered = message.readUInt16BE(end) === addressType;
  const header = Buffer.alloc(headerBytes);
  header.writeUInt16BE(message.readUInt16BE(0), 0);
  // A response, with recursion available and, as in the question, desired.
  header.writeUInt16BE(0x8080 | (message.readUInt16BE(2) & 0x0100), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(isAnswered ? 1 : 0, 6);
  return Buffer.concat([header, question, ...(isAnswered ? [addressRecord(answer)] : [])]);
}

/** Where the name of the first question ends; undefined when it does not. */
function endOfName(message: Buffer): number | undefined {
  let at = headerBytes;
  for (let length = message[at]; length !== undefined && length < 64; length = message[at]) {
    at += 1 + length;
    if (length === 0) return at;
  }
  return undefined;
}

function addressRecord(address: string): Buffer {
  const record = Buffer.alloc(12);
  // The name is a pointer to that of the question.
  record.writeUInt16BE(0xc000 | headerBytes, 0);
  record.writeUInt16BE(addressType, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(timeToLiveSeconds, 6);
  record.writeUInt16BE(4, 10);
  return Buffer.concat([record, Buffer.from(address.split('.').map(Number))]);
}
