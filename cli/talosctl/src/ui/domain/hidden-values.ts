import { createHmac } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { type Configuration, mapSecrets, mapTexts } from '@nodewright/machine-config';
import { mapOwnTexts } from '../../support/shown-configuration.ts';

const anyMark = /<hidden [0-9a-f]{12}>/;
const wholeMark = /^<hidden [0-9a-f]{12}>$/;

/**
 * Hides the secrets of configurations from the page, and puts them back when the page returns an edited text. Each hidden value
 * becomes a mark such as `<hidden 4f2a91c30b7e>`. Equal values have equal marks, so two nodes can be compared, and a part of the
 * configuration that moves keeps its secret.
 */
export class HiddenValues {
  readonly #key: Uint8Array;

  /** @param key random bytes that never leave the program: without them nobody can test a guess at a value */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** Replaces secrets, and texts that a user wrote into files, manifests and headers, because they may contain anything. */
  hide(configuration: Configuration): Configuration {
    return this.#map(configuration, (text) => this.#mark(text));
  }

  /**
   * Puts the values back.
   *
   * @param sources what has the values: the configuration of the node, and conversions of it
   * @throws Fault `invalid-argument` for a mark without a value, and for a text that contains more than a mark
   */
  restore(edited: Configuration, ...sources: readonly Configuration[]): Configuration {
    const known = new Map<string, string>();
    for (const source of sources)
      this.#map(source, (text) => {
        const mark = this.#mark(text);
        known.set(mark, text);
        return mark;
      });
    return edited.map(({ kind, value }) => ({
      kind,
      value: mapTexts(value, (text) => {
        const mark = anyMark.exec(text)?.[0];
        if (mark === undefined) return text;
        const found = known.get(mark);
        if (found !== undefined && wholeMark.test(text)) return found;
        throw new Fault(
          'invalid-argument',
          found === undefined
            ? `${mark} stands for a value that this node does not have: write the value itself`
            : `${mark} must be the whole value of its field, or be replaced by the value itself`,
        );
      }) as Configuration[number]['value'],
    }));
  }

  #map(configuration: Configuration, change: (text: string) => string): Configuration {
    return mapSecrets(configuration, change).map(({ kind, value }) => ({
      kind,
      value: mapOwnTexts(value, (own) => mapTexts(own, change)) as Configuration[number]['value'],
    }));
  }

  /** An empty text hides nothing, and a mark is not hidden again. */
  #mark(text: string): string {
    if (text === '' || wholeMark.test(text)) return text;
    return `<hidden ${createHmac('sha256', this.#key).update(text).digest('hex').slice(0, 12)}>`;
  }
}
