import { Fault } from '@nodewright/fault';
import { configurationLimits } from '@nodewright/machine-config';

/**
 * Decodes the bytes of a configuration as UTF-8.
 *
 * @throws Fault `invalid-argument` when it is too long or not UTF-8
 */
export function configurationText(data: Uint8Array): string {
  if (data.length > configurationLimits.sizeBytes) {
    throw new Fault(
      'invalid-argument',
      `the machine configuration has ${data.length} bytes, more than the limit of ${configurationLimits.sizeBytes}`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch {
    throw new Fault('invalid-argument', 'the machine configuration is not valid UTF-8 text');
  }
}
