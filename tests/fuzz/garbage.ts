import type { SeededRandom } from './seeded-random.ts';

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
const frameTypes = { data: 0, headers: 1, settings: 4, continuation: 9 } as const;

function frame(type: number, flags: number, stream: number, payload: Uint8Array, lengthOff = 0): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(Math.max(0, payload.length + lengthOff) & 0xffffff, 0, 3);
  header.writeUInt8(type, 3);
  header.writeUInt8(flags, 4);
  header.writeUInt32BE(stream >>> 0, 5);
  return Buffer.concat([header, payload]);
}

const literal = (text: string) =>
  Buffer.concat([Buffer.of(Math.min(text.length, 126)), Buffer.from(text.slice(0, 126))]);

/** A header block without compression: each field literal, never indexed. */
function headerBlock(fields: readonly (readonly [string, string])[]): Buffer {
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.of(0x10), literal(name), literal(value)]));
}

function callHeaders(random: SeededRandom): Buffer {
  const path = random.pick([
    '/machine.MachineService/Memory',
    '/machine.MachineService/Logs',
    '/a.B/C',
    '/',
    '*',
    '',
  ]);
  const fields: [string, string][] = [
    [':method', random.pick(['POST', 'POST', 'GET', 'CONNECT', ''])],
    [':scheme', random.pick(['https', 'http', '\u0001'])],
    [':path', path],
    [':authority', random.pick(['localhost', '', '[::'])],
    ['content-type', random.pick(['application/grpc', 'application/grpc+proto', 'text/html', ''])],
    ['te', 'trailers'],
    [
      random.pick(['node', 'nodes', 'proxyfrom', 'grpc-timeout', 'talos-role', 'x-bin']),
      random.bytes(random.below(40)).toString('latin1'),
    ],
  ];
  return headerBlock(random.below(4) === 0 ? fields.toSorted(() => random.below(3) - 1) : fields);
}

function message(random: SeededRandom): Buffer {
  const body = random.bytes(random.below(200));
  const header = Buffer.alloc(5);
  header.writeUInt8(random.pick([0, 0, 1, 255]), 0);
  header.writeUInt32BE(
    random.pick([body.length, body.length, body.length + 7, 0xffffffff, 33_554_433, 0]),
    1,
  );
  return Buffer.concat([header, body]);
}

function anyFrame(random: SeededRandom): Buffer {
  const stream = random.pick([0, 1, 1, 3, 5, 2, 0x7fffffff, 0xffffffff]);
  switch (random.below(5)) {
    case 0:
      return frame(frameTypes.headers, random.pick([4, 5, 0, 0x2c, 255]), stream, callHeaders(random));
    case 1:
      return frame(frameTypes.data, random.pick([0, 1, 8, 9]), stream, message(random));
    case 2:
      return frame(
        frameTypes.settings,
        random.pick([0, 1]),
        random.pick([0, 0, 1]),
        random.bytes(random.pick([0, 6, 12, 5])),
      );
    case 3:
      return frame(
        random.below(16),
        random.below(256),
        stream,
        random.bytes(random.below(64)),
        random.pick([0, 0, 3, -3, 1 << 20]),
      );
    default:
      return frame(frameTypes.continuation, random.pick([0, 4]), stream, random.bytes(random.below(64)));
  }
}

/** Frames that begin as valid HTTP/2 and then break the protocol at random. */
export function brokenHttp2(random: SeededRandom): Buffer {
  if (random.below(6) === 0) return random.bytes(random.below(4096));
  const parts = [preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))];
  for (let count = random.below(30); count >= 0; count -= 1) parts.push(anyFrame(random));
  const whole = Buffer.concat(parts);
  return random.below(4) === 0 ? whole.subarray(0, random.below(whole.length)) : whole;
}

/** Bytes that look like the beginning of a TLS handshake, or random bytes. */
export function brokenTls(random: SeededRandom, clientHello: Buffer): Buffer {
  if (random.below(4) === 0) return random.bytes(random.below(2048));
  const bytes = Buffer.from(clientHello);
  for (let count = random.below(12); count >= 0; count -= 1)
    bytes[random.below(bytes.length)] = random.below(256);
  return random.below(3) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}
