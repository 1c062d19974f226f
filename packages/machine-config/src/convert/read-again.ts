import { Fault, faultFrom } from '@nodewright/fault';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import type { DecodeOptions } from '../decode/decode-document.ts';
import { labelOf, loadConfiguration } from '../decode/load-configuration.ts';
import { encodeConfiguration } from '../encode-configuration.ts';

/**
 * Checks that a converted text, with its comments, is read as the configuration that was meant.
 *
 * @throws Fault `invalid-argument` when the text cannot be read, such as for a limit that the other form exceeds; `internal` when it
 * says something else. Neither contains a value
 */
export function readAgain(text: string, meant: Configuration, options: DecodeOptions = {}): void {
  const read = load(text, options);
  const length = Math.max(read.length, meant.length);
  for (let at = 0; at < length; at++) {
    const [found, wanted] = [read[at], meant[at]];
    const document = wanted ?? found;
    if (document === undefined || textOf(found) === textOf(wanted)) continue;
    throw new Fault('internal', `the conversion would write another ${labelOf(document)}`);
  }
}

/** The same text for the same values, however they were written. */
const textOf = (document: ConfigDocument | undefined) =>
  document === undefined ? undefined : encodeConfiguration([document]);

function load(text: string, options: DecodeOptions): Configuration {
  try {
    return loadConfiguration(text, options);
  } catch (error) {
    const { message } = faultFrom(error);
    throw new Fault('invalid-argument', `the converted configuration could not be read: ${message}`, {
      cause: error,
    });
  }
}
