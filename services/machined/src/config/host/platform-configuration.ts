import { gunzipSync } from 'node:zlib';
import { Fault, faultFrom } from '@nodewright/fault';
import { configurationText } from '../domain/configuration-text.ts';

/** The size of the largest gRPC message: a larger configuration could not be applied by a call either. */
const largestBytes = 32 * 1024 * 1024;
const gzipMagic = [0x1f, 0x8b];
const base64Form = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Reads the configuration from the variable `USERDATA`, which the creator of a container sets: base64 of the
 * text or of its gzip. `undefined` when the variable is empty. Source: Talos v1.14: platforms, container.
 *
 * @throws Fault `invalid-argument`, without the value in the message
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
    const isGzip = gzipMagic.every((byte, at) => bytes[at] === byte);
    const plain = isGzip ? gunzipSync(bytes, { maxOutputLength: largestBytes }) : bytes;
    return configurationText(plain);
  } catch (error) {
    throw new Fault(
      'invalid-argument',
      `cannot decode the environment variable USERDATA: ${faultFrom(error).message}`,
    );
  }
}
