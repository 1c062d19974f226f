// Replaces machined when a gateway is measured with a long stream: answers every call with messages of one
// size, as its arguments say. `node stream-backend.ts <socket> <bytes in all> <bytes a message>`
import { createServer, type ServerHttp2Stream } from 'node:http2';
import { prefixBytes } from './call.ts';

const [socket = '', total = '', size = ''] = process.argv.slice(2);
const messageBytes = Number(size);
const messages = Math.ceil(Number(total) / messageBytes);
const windowBytes = 4 * 1024 * 1024;

const message = Buffer.alloc(prefixBytes + messageBytes, 7);
message.writeUInt8(0, 0);
message.writeUInt32BE(messageBytes, 1);

function send(stream: ServerHttp2Stream): void {
  let sent = 0;
  const more = () => {
    while (sent < messages && !stream.destroyed) {
      sent += 1;
      if (!stream.write(message)) return;
    }
    if (sent === messages) stream.end();
  };
  stream.on('drain', more);
  more();
}

const server = createServer({ settings: { initialWindowSize: windowBytes } });
server.on('stream', (stream: ServerHttp2Stream) => {
  // Calls that are cancelled half-way are part of the measurement.
  stream.on('error', () => {});
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.resume();
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  send(stream);
});
server.listen(socket, () => process.send?.('listening'));
process.once('disconnect', () => process.exit(0));
