import { Fault } from '@nodewright/fault';
import { configurationLimits, decodeConfigurationText } from '@nodewright/machine-config';

/**
 * Decodes the bytes of a configuration: UTF-8, or UTF-16 with a byte order mark.
 *
 * @throws Fault `invalid-argument` when it is too long or no text
 */
export function configurationText(data: Uint8Array): string {
  if (data.length > configurationLimits.sizeBytes) {
    throw new Fault(
      'invalid-argument',
      `the machine configuration has ${data.length} bytes, more than the limit of ${configurationLimits.sizeBytes}`,
    );
  }
  const text = decodeConfigurationText(data);
  if (text !== undefined) return text.replace(/^\ufeff/, '');
  throw new Fault('invalid-argument', 'the machine configuration is not valid UTF-8 text');
}
