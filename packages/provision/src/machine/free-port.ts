import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

const loopback = '127.0.0.1';

/** A TCP port of the loopback device that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, loopback);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A UDP port of the loopback device that nobody has now. */
export function freeUdpPort(): Promise<number> {
  return bindUdpPort(0);
}

/** Binds a UDP port of the loopback device and gives it back, to see that nobody has it. @throws the error of the system */
export async function bindUdpPort(port: number): Promise<number> {
  await using socket = createSocket('udp4');
  socket.bind(port, loopback);
  await once(socket, 'listening');
  return socket.address().port;
}
