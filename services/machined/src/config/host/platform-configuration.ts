import { gunzipSync } from 'node:zlib';
import { Fault, faultFrom } from '@nodewright/fault';

/** As large as the largest message: what is larger could not be applied by a call either. */
const largestBytes = 32 * 1024 * 1024;
const gzipMagic = [0x1f, 0x8b];
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * The configuration that whoever runs a container gives it: base64, of a text or of gzip of one, in the variable
 * `USERDATA`. Undefined when there is none. Source: Talos v1.14: platforms, container.
 *
 * @throws Fault `invalid-argument`; the value is not shown
 */
export function configurationFromEnvironment({ USERDATA = '' }: NodeJS.ProcessEnv): string | undefined {
  const encoded = USERDATA.replace(/\s+/g, '');
  if (encoded === '') return undefined;
  if (!base64Form.test(encoded) || encoded.length % 4 !== 0) {
    throw new Fault('invalid-argument', 'the environment variable USERDATA is not base64');
  }
  return textOf(Buffer.from(encoded, 'base64')) || undefined;
}

function textOf(bytes: Uint8Array): string {
  try {
    const isPacked = gzipMagic.every((byte, at) => bytes[at] === byte);
    const plain = isPacked ? gunzipSync(bytes, { maxOutputLength: largestBytes }) : bytes;
    return new TextDecoder('utf-8', { fatal: true }).decode(plain);
  } catch (error) {
    throw new Fault(
      'invalid-argument',
      `the environment variable USERDATA cannot be unpacked: ${faultFrom(error).message}`,
    );
  }
}
